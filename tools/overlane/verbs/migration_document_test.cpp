#include "tools/overlane/verbs/migration_document.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/answer/testing/renderings.h"
#include "results/base/testing/source_file.h"
#include "results/pages/page.h"
#include "results/report/document_text.h"
#include "results/report/text.h"
#include "scenarios/migration/assess.h"
#include "scenarios/migration/operator_steps.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace migration_document_test {

using answer::Detail;
using answer::testing::Format;
using answer::testing::missing_texts;
using answer::testing::strings_of_json;
using answer::testing::words_of;
using migration::StrategyResult;
using migration::Target;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::ordered_json;

migration::Assessment assessed(const std::string& manifest, Target to, std::uint32_t nodes,
                               const std::vector<std::string>& strategies) {
  migration::LoadRequest request{
      .paths = {source_file(manifest)}, .subject = {}, .to = to, .strategies = strategies};
  request.subject.nodes = nodes;
  request.runs = 2;
  auto assessment = migration::assess(request, {});
  EXPECT_TRUE(assessment) << manifest;
  return *std::move(assessment);
}

/// A migration of a shoot, and properties that its result must have so that the comparison covers
/// them.
struct Row {
  const char* name;
  const char* manifest;
  Target to;
  std::uint32_t nodes;
  std::vector<std::string> strategies;
  bool has_outage, has_blocker, has_leftovers, has_other_traffic, has_warnings, is_uncertain;
};

std::vector<Row> rows() {
  return {
      {"outage",
       "topologies/library/manifests/shoot-openstack.yaml",
       Target::Routed,
       6,
       {"today"},
       true,
       false,
       true,
       true,
       false,
       true},
      {"no-go",
       "topologies/library/manifests/shoot-aws-ipip.yaml",
       Target::Vxlan,
       3,
       {},
       true,
       true,
       true,
       true,
       false,
       false},
      {"strategies",
       "topologies/library/manifests/shoot-aws-two-zones.yaml",
       Target::Routed,
       6,
       {"today", "routes-first"},
       false,
       false,
       true,
       true,
       false,
       true},
      {"families",
       "topologies/library/manifests/shoot-gcp.yaml",
       Target::DualStack,
       4,
       {},
       true,
       false,
       false,
       true,
       false,
       true},
  };
}

/// Statements of the result, in words that every format must contain.
std::vector<std::string> statements(const migration::Assessment& assessment) {
  const migration::Evaluation& evaluation = assessment.decisive.evaluation;
  const StrategyResult& best = assessment.best();
  std::vector<std::string> texts{assessment.headline(), best.strategy->name};
  texts.insert(texts.end(), best.blockers.begin(), best.blockers.end());
  texts.insert(texts.end(), best.unknowns.begin(), best.unknowns.end());
  for (const migration::ImpactResult& one : best.impacts)
    texts.insert(texts.end(), {one.what, std::string(facts(one.impact).name)});
  for (const migration::Condition& one : best.conditions)
    texts.insert(texts.end(), {one.holds, one.setting});
  for (const Finding& finding : assessment.loaded().findings)
    texts.insert(texts.end(), {finding.message, finding.rule, finding.hint});
  for (const StrategyResult& result : evaluation.strategies) {
    texts.insert(texts.end(), {result.strategy->name, result.strategy->summary});
    texts.insert(texts.end(), result.blockers.begin(), result.blockers.end());
  }
  if (assessment.may_go())
    for (const auto& steps : {operator_steps(assessment.loaded(), *best.strategy, best.conditions),
                              steps_back(assessment.loaded(), *assessment.best().strategy)})
      for (const migration::OperatorStep& step : steps) {
        texts.insert(texts.end(), {step.action, step.caution, step.wait_for, step.undo});
        for (const auto* list : {&step.commands, &step.wait_commands, &step.undo_commands})
          texts.insert(texts.end(), list->begin(), list->end());
      }
  for (const migration::Sensitivity& one : evaluation.best().sensitivities)
    if (one.effect().count > 0)
      texts.insert(texts.end(), {one.assumption.parameter, one.assumption.value,
                                 one.assumption.range, one.assumption.source});
  for (const migration::Leftover& leftover : evaluation.leftovers)
    texts.insert(texts.end(), {leftover.what, leftover.remedy});
  for (const migration::TrafficResult& traffic : best.other_traffic)
    if (traffic.affected > 0)
      texts.insert(texts.end(), {std::string(traffic.name), std::string(traffic.meaning)});
  return texts;
}

/// The rows of interruptions, as a reader sees them.
std::vector<std::string> outage_rows(const StrategyResult& best) {
  std::vector<std::string> rows;
  for (const migration::ClassResult& one : best.classes)
    if (one.affected > 0)
      rows.push_back(fmt::format("pod to pod {} {} of {}", to_string(one.which), one.affected,
                                 report::counted_text(one.connections, "pair")));
  for (const migration::TrafficResult& one : best.other_traffic) {
    if (one.affected == 0) continue;
    const std::string longest =
        one.ends          ? "established end"
        : one.lasting > 0 ? "never over"
                          : report::elapsed_text(static_cast<double>(one.longest.count) / 1e12);
    rows.push_back(fmt::format("{}{} {} of {} {}", one.name,
                               one.is_possible_only ? ", possibly" : "", one.affected,
                               report::counted_text(one.pairs, one.unit), longest));
  }
  return rows;
}

class MigrationFormats : public ::testing::TestWithParam<Row> {};

TEST_P(MigrationFormats, HaveTheSameContent) {
  const Row& row = GetParam();
  const migration::Assessment of = assessed(row.manifest, row.to, row.nodes, row.strategies);
  const migration::Evaluation& evaluation = of.decisive.evaluation;
  const StrategyResult& best = of.best();
  const bool has_blocker = std::ranges::any_of(
      evaluation.strategies, [](const auto& result) { return !result.blockers.empty(); });
  const bool is_uncertain = std::ranges::any_of(
      evaluation.best().sensitivities, [](const auto& one) { return one.effect().count > 0; });
  EXPECT_EQ(best.verdict >= migration::MigrationVerdict::Outage, row.has_outage);
  EXPECT_TRUE(has_blocker || !row.has_blocker);
  EXPECT_EQ(!evaluation.leftovers.empty(), row.has_leftovers);
  EXPECT_EQ(!outage_rows(best).empty(), row.has_other_traffic);
  EXPECT_EQ(!of.loaded().findings.empty(), row.has_warnings);
  EXPECT_EQ(is_uncertain, row.is_uncertain);

  const answer::Document document = migration_document(of);
  const std::string text = report::document_text(document, {.with_details = true});
  const std::string markdown = report::document_markdown(document, true);
  const std::string page = pages::document_page(document);
  for (const auto& [rendering, format] :
       {std::pair(&text, Format::Text), std::pair(&markdown, Format::Markdown),
        std::pair(&page, Format::Html)}) {
    SCOPED_TRACE(static_cast<int>(format));
    const Detail detail = format == Format::Html ? Detail::PageOnly : Detail::OnRequest;
    EXPECT_THAT(missing_texts(document, detail, *rendering, format), IsEmpty());
    EXPECT_THAT(missing_texts(statements(of), words_of(*rendering, format)), IsEmpty());
    EXPECT_THAT(missing_texts(outage_rows(best), words_of(*rendering, format)), IsEmpty());
  }
  for (const StrategyResult& result : evaluation.strategies)
    EXPECT_THAT(missing_texts(outage_rows(result), words_of(page, Format::Html)), IsEmpty())
        << "a page has every strategy";

  const Json json = migration::encode(of, {});
  EXPECT_THAT(missing_texts(statements(of), words_of(strings_of_json(json.dump()))), IsEmpty());
  for (std::size_t i = 0; i < evaluation.strategies.size(); ++i) {
    const StrategyResult& result = evaluation.strategies[i];
    const Json& encoded = json.at("strategies").at(i);
    ASSERT_EQ(encoded.at("outages").size(), result.classes.size());
    for (std::size_t j = 0; j < result.classes.size(); ++j)
      EXPECT_EQ(encoded.at("outages").at(j).at("affected"), result.classes[j].affected);
    ASSERT_EQ(encoded.at("other_traffic").size(), result.other_traffic.size());
    for (std::size_t j = 0; j < result.other_traffic.size(); ++j) {
      const Json& traffic = encoded.at("other_traffic").at(j);
      EXPECT_EQ(traffic.at("affected"), result.other_traffic[j].affected);
      EXPECT_EQ(traffic.at("lasting"), result.other_traffic[j].lasting);
      EXPECT_EQ(traffic.at("longest_outage_ns"),
                result.other_traffic[j].longest.whole_nanoseconds());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MigrationDocument, MigrationFormats, ::testing::ValuesIn(rows()),
                         [](const auto& row) {
                           std::string name = row.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(MigrationDocument, OffersAWayBack) {
  const migration::Assessment of =
      assessed("topologies/library/manifests/shoot-openstack.yaml", Target::Routed, 2, {"today"});
  const std::string text = report::document_text(migration_document(of), {});
  EXPECT_THAT(unwrapped(text),
              HasSubstr("to go back The variables are those of the first step above; repeat it in "
                        "a new shell. 1. Change networking.providerConfig back."));
  EXPECT_THAT(text, HasSubstr(of.loaded().patch_back));
}

TEST(MigrationDocument, ACourseIsInPagesOfEveryStrategy) {
  const migration::Assessment of = assessed("topologies/library/manifests/shoot-openstack.yaml",
                                            Target::Routed, 6, {"today", "routes-first"});
  const answer::Document document = migration_document(of);
  const std::string page = pages::document_page(document);
  EXPECT_THAT(page, HasSubstr(">garden-dev/overlay-openstack: strategy today</text>"));
  EXPECT_THAT(page, HasSubstr(">garden-dev/overlay-openstack: strategy routes-first</text>"));
  EXPECT_THAT(page, HasSubstr(" % from ")) << "today has outages";
  EXPECT_THAT(report::document_text(document, {}), Not(HasSubstr("gardenlet: ControlPlane")));
}

}  // namespace migration_document_test

}  // namespace overlane::command

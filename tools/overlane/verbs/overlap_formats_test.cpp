// Checks that text, Markdown, page and JSON of an overlap report have the same content. The
// expected statements are generated from the report, so that the test finds a statement that a
// format omits.

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/answer/testing/renderings.h"
#include "results/base/testing/source_file.h"
#include "results/pages/page.h"
#include "results/report/document_text.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/testing/run_overlane.h"
#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/report/encode.h"
#include "topologies/overlap/report/overlap_document.h"
#include "topologies/overlap/report/report.h"
#include "topologies/overlap/report/summary.h"

namespace overlane::command {
namespace overlap_formats_test {

using answer::Detail;
using answer::testing::Format;
using answer::testing::missing_texts;
using answer::testing::strings_of_json;
using answer::testing::words_of;
using overlap::OverlapReport;
using overlap::Urgency;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kLandscape = "topologies/library/landscape";
constexpr std::size_t kAllPairs = 1'000'000;

/// A shoot in the GCP network "shared"; with `status` it is a running shoot.
std::string shoot(const std::string& name, const std::string& pods, int subnet,
                  const std::string& status = "", int maximum = 3) {
  return fmt::format(
      R"(---
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{namespace: garden-dev, name: {0}, uid: u}}
spec:
  credentialsBindingName: main
  networking: {{type: calico, pods: {1}, services: 100.64.0.0/13, nodes: 10.250.{2}.0/24, providerConfig: {{overlay: {{enabled: false}}}}}}
  provider:
    type: gcp
    infrastructureConfig: {{networks: {{vpc: {{name: shared}}, workers: 10.250.{2}.0/24}}}}
    workers: [{{name: w, minimum: 3, maximum: {3}}}]
{4})",
      name, pods, subnet, maximum, status);
}

/// A command line, and properties that its report must have so that the comparison covers them.
struct Row {
  const char* name;
  overlap::Request request;
  std::string headline;
  bool has_now, has_later, has_notes, has_document_errors, has_witness;
};

overlap::Request read(const std::vector<std::string>& paths, const std::string& domain = "") {
  overlap::Request request;
  std::vector<std::string> files;
  for (const std::string& path : paths)
    files.push_back(path.starts_with('/') ? path : source_file(path));
  request.landscapes.push_back({"", read_all(files, 1), {}});
  request.domain = domain;
  return request;
}

overlap::Request read_text_of(const std::string& name, const std::string& text) {
  return read({write_temporary(name, text)});
}

std::vector<Row> rows() {
  const std::string two =
      shoot("one", "100.96.0.0/11", 1) + shoot("two", "100.96.0.0/11", 2, "", 40);
  const std::string apart = shoot("one", "10.0.0.0/16", 1) + shoot("two", "10.1.0.0/16", 2, "", 40);
  std::vector<Row> all;
  const auto add = [&](const char* name, overlap::Request request) -> Row& {
    return all.emplace_back(
        Row{name, std::move(request), "no conflict", false, false, false, false, false});
  };
  add("clean", read({"topologies/library/manifests/shoot-aws.yaml"}));
  Row& noted = add("noted", read_text_of("noted.yaml", apart));
  noted.request.min_severity = Severity::Note;
  noted.has_notes = true;
  Row& landscape = add("conflicts", read({kLandscape}));
  landscape.request.min_severity = Severity::Note;
  landscape.request.plan = true;
  landscape.headline = "11 conflicts and 1 exceeded route quota now; 7 conflicts later, the first";
  landscape.has_now = landscape.has_later = landscape.has_notes = landscape.has_witness = true;
  Row& later = add("later", read({kLandscape}, "gcp/analytics"));
  later.headline = "no conflict now; 2 conflicts later, the first after 11 node creations";
  later.has_later = later.has_witness = true;
  Row& asleep = add("asleep", read_text_of("asleep.yaml", shoot("one", "100.96.0.0/11", 1,
                                                                "status: {hibernated: true}\n") +
                                                              shoot("two", "100.96.0.0/11", 2)));
  asleep.headline = "no conflict now; 1 conflict when a shoot wakes up";
  asleep.has_later = asleep.has_witness = true;
  Row& quota = add("quota", read_text_of("quota.yaml", apart));
  quota.request.derive.landscape =
      effective::with_setting(quota.request.derive.landscape, "landscape.route-quota.gcp=10")
          .value();
  quota.headline = "no conflict now; 1 route quota exceeded after 4 more nodes";
  Row& partial = add("partial", read_text_of("partial.yaml", two + "---\nkind: [\n"));
  partial.headline = "1 conflict now; 1 error about documents, so overlaps may be missing";
  partial.has_now = partial.has_document_errors = partial.has_witness = true;
  Row& refused = add("refused", read_text_of("refused.yaml", two));
  std::string moved = shoot("one", "10.0.0.0/16", 1);
  moved.replace(moved.find(", uid: u"), 8, "");
  refused.request.landscapes[0].candidates = read_all({write_temporary("moved.yaml", moved)}, 1);
  refused.headline = "no new conflict; 1 update refused by a running shoot";
  refused.has_document_errors = true;
  Row& proposed = add("proposed", read({kLandscape}, "gcp/shared-vpc"));
  proposed.request.wanted = overlap::Wanted{.shoots = 2, .length = 16};
  proposed.headline = "1 conflict now; 1 conflict after 5 node creations; 1 route quota exceeded";
  proposed.has_now = proposed.has_later = proposed.has_witness = true;
  return all;
}

void add_overlaps(const std::vector<overlap::Overlap>& overlaps, bool with_remedies,
                  std::vector<std::string>& texts) {
  for (const overlap::Overlap& one : overlaps) {
    texts.push_back(std::string(one.impact.rule->id));
    // A shoot's own network has the shoot's name, which every format contains as the owner.
    if (one.routing_domain.find("/shoot/") == std::string::npos)
      texts.push_back(one.routing_domain);
    texts.push_back(std::string(to_string(one.impact.severity)));
    for (const overlap::End* end : {&one.a, &one.b}) {
      texts.insert(texts.end(), {end->owner, end->cidr.to_string(), end->place.to_string(),
                                 std::string(to_string(end->role))});
      if (end->assumed) texts.push_back("assumed: " + end->path);
    }
    texts.push_back(one.intersection.to_string());
    if (!with_remedies) continue;
    texts.insert(texts.end(), {one.consequence, advice(one)});
    if (!one.witness) continue;
    const overlap::ReportedWitness& packet = *one.witness;
    texts.insert(texts.end(),
                 {packet.sender, packet.source, packet.destination, packet.meant, packet.because});
    if (!packet.is_lost()) texts.push_back(packet.lands);
    texts.insert(texts.end(), packet.assumptions.begin(), packet.assumptions.end());
  }
}

/// Statements of the report, in words that every format must contain.
std::vector<std::string> statements(const OverlapReport& report) {
  std::vector<std::string> texts{overlap::headline(report)};
  add_overlaps(report.overlaps, true, texts);
  Findings findings = report.all_findings();
  for (const Finding& finding : findings)
    texts.insert(texts.end(), {std::string(to_string(finding.severity)), finding.rule,
                               finding.message, finding.hint});
  for (const overlap::Overlap& one : report.overlaps)
    if (const auto doubt = report.uncertainties.find(one.routing_domain);
        doubt != report.uncertainties.end())
      texts.push_back(doubt->second);
  for (const overlap::PlanStep& step : report.plan.value_or(std::vector<overlap::PlanStep>())) {
    texts.insert(texts.end(), {step.name, step.routing_domain});
    texts.insert(texts.end(), step.because.begin(), step.because.end());
    for (const overlap::Change& change : step.changes) {
      texts.push_back(change.from.to_string());
      if (change.to) texts.push_back(change.to->to_string());
    }
  }
  for (const std::string& waiting : report.applied_after_plan())
    texts.push_back(waiting);
  for (const overlap::Proposal& proposal : report.proposals)
    texts.insert(texts.end(), {proposal.pods.to_string(), proposal.services.value().to_string()});
  if (report.what_if) {
    texts.insert(texts.end(), report.what_if->applied.begin(), report.what_if->applied.end());
    add_overlaps(report.what_if->gone, false, texts);
    for (const Finding& finding : report.what_if->gone_findings)
      texts.insert(texts.end(), {finding.message, finding.rule});
  }
  std::erase(texts, "");
  return texts;
}

/// Statements about numbers, which JSON contains as numbers instead of text.
std::vector<std::string> counts(const OverlapReport& report) {
  std::vector<std::string> texts;
  for (const overlap::Overlap& one : report.overlaps)
    if (one.urgency == Urgency::Later && one.creations_until_conflict.value_or(0) > 0)
      texts.push_back(fmt::format("after {} node creation", *one.creations_until_conflict));
  for (const overlap::Proposal& proposal : report.proposals)
    texts.push_back(
        fmt::format("{} nodes of /{}", proposal.max_nodes, proposal.node_cidr_mask_size));
  return texts;
}

/// Overlaps whose impact and action are not together in one list of facts of the document.
std::vector<std::string> without_remedy(const OverlapReport& report,
                                        const answer::Document& document) {
  std::vector<std::string> remedies, missing;
  for (const answer::Section& section : document.sections)
    for (const answer::Block& block : section.blocks)
      if (const auto* facts = std::get_if<answer::Facts>(&block))
        if (facts->facts.front().label == "impact")
          remedies.push_back(facts->facts.front().value + '\n' + facts->facts.back().value);
  for (const overlap::Overlap& one : report.overlaps)
    if (std::ranges::find(remedies, one.consequence + '\n' + advice(one)) == remedies.end())
      missing.push_back(one.a.owner + ", " + one.b.owner);
  return missing;
}

TEST(Formats, OfOverlapHaveTheSameContent) {
  for (Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const auto analysis = overlap::analyze(std::move(row.request));
    ASSERT_TRUE(analysis) << analysis.error().message;
    const OverlapReport& report = analysis->report;
    const auto has = [&](Urgency urgency) {
      return std::ranges::any_of(report.overlaps, [&](const overlap::Overlap& one) {
        return one.urgency == urgency && one.impact.severity == Severity::Error;
      });
    };
    EXPECT_EQ(has(Urgency::Now), row.has_now);
    EXPECT_EQ(has(Urgency::Later), row.has_later);
    EXPECT_EQ(
        std::ranges::any_of(report.overlaps,
                            [](const auto& one) { return one.impact.severity == Severity::Note; }),
        row.has_notes);
    EXPECT_EQ(any_at_or_above(report.findings, Severity::Error), row.has_document_errors);
    EXPECT_EQ(
        std::ranges::any_of(report.overlaps,
                            [](const auto& one) { return one.witness && one.witness->wrong; }),
        row.has_witness);

    const answer::Document document = overlap_document(report, {.most_pairs = kAllPairs});
    EXPECT_THAT(without_remedy(report, document), IsEmpty());
    const std::string text = report::document_text(document, {.with_details = true});
    const std::string markdown = report::document_markdown(document, true);
    const std::string page = pages::document_page(document);
    EXPECT_THAT(unwrapped(text), StartsWith("result: " + row.headline));
    for (const auto& [rendering, format] :
         {std::pair(&text, Format::Text), std::pair(&markdown, Format::Markdown),
          std::pair(&page, Format::Html)}) {
      SCOPED_TRACE(static_cast<int>(format));
      EXPECT_THAT(missing_texts(document, Detail::OnRequest, *rendering, format), IsEmpty());
      const std::string words = words_of(*rendering, format);
      EXPECT_THAT(missing_texts(statements(report), words), IsEmpty());
      EXPECT_THAT(missing_texts(counts(report), words), IsEmpty());
    }
    const nlohmann::ordered_json json = encode(report);
    EXPECT_THAT(missing_texts(statements(report), words_of(strings_of_json(json.dump()))),
                IsEmpty());
    ASSERT_EQ(json["overlaps"].size(), report.overlaps.size());
    for (std::size_t i = 0; i < report.overlaps.size(); ++i) {
      const auto& creations = report.overlaps[i].creations_until_conflict;
      EXPECT_EQ(json["overlaps"][i]["creations_until_conflict"],
                creations ? nlohmann::ordered_json(*creations) : nlohmann::ordered_json(nullptr));
    }
  }
}

// Checks that the options --details, --summary and --pairs change the document, and that files are
// written as by `check`.
TEST(Formats, OfOverlapAreOptionsOfTheVerb) {
  const std::string page = write_temporary("overlap.html", "old");
  const std::string asked = fmt::format("overlap --quiet --domain gcp/analytics {} ", kLandscape);
  const Answer markdown = run_overlane(asked + "-o markdown --html " + page);
  EXPECT_EQ(markdown.exit_code, 1);
  EXPECT_THAT(markdown.out,
              StartsWith("# Overlaps in gcp/analytics\n\n**Result**: no conflict now; "
                         "2 conflicts later, the first after 11 node creations"));
  EXPECT_THAT(read_text(page), HasSubstr("Overlaps in gcp/analytics</h1>"));
  const Answer aside = run_overlane(asked + "--html -");
  EXPECT_THAT(aside.out, StartsWith("<!doctype html>"));
  EXPECT_THAT(aside.err, HasSubstr("result: no conflict now"));
  EXPECT_EQ(run_overlane(asked + "--html - -o markdown").exit_code, 2);
  EXPECT_EQ(run_overlane(asked + "--html /nonexistent/x").exit_code, 4);
  const Answer brief = run_overlane(asked + "--summary -o markdown");
  EXPECT_THAT(brief.out, HasSubstr("## Errors later"));
  EXPECT_THAT(brief.out, testing::Not(HasSubstr("overlap-routes-contested")));
  EXPECT_EQ(run_overlane(asked + "--summary -o json").exit_code, 2);

  const std::string router = fmt::format(
      "overlap --quiet --domain openstack/00000000-aaaa-4000-8000-000000000001 {} ", kLandscape);
  const auto number_of = [](const std::string& text, const std::string& what) {
    std::size_t number = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
      ++number;
    return number;
  };
  const std::string plain = unwrapped(run_overlane(router).out);
  const std::string detailed = unwrapped(run_overlane(router + "--details").out);
  EXPECT_GT(number_of(detailed, "sends to"), number_of(plain, "sends to"));
  EXPECT_THAT(detailed, StartsWith(plain.substr(0, plain.find("network openstack/"))));
}

}  // namespace overlap_formats_test
}  // namespace overlane::command

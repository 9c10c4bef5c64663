// Every format of an answer has whatever another one has: here for the verbs that print findings
// and overlaps. Those of a migration and of a run are compared beside their documents.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/answer/testing/renderings.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace formats_test {

using answer::testing::missing_texts;
using answer::testing::strings_of_json;
using answer::testing::words_of;
using nlohmann::json;
using testing::IsEmpty;

constexpr const char* kLandscape = "topologies/library/landscape";

/// Words of an XML file.
std::string xml_words(std::string text) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity, at + 1))
      text.replace(at, std::string_view(entity).size(), character);
  return words_of(text);
}

/// A CSV file's words; quotes are doubled in its fields.
std::string csv_words(std::string text) {
  for (std::size_t at = text.find("\"\""); at != text.npos; at = text.find("\"\"", at + 1))
    text.erase(at, 1);
  std::ranges::replace(text, '\r', ' ');
  return words_of(text);
}

/// What a verb says in its formats.
struct Answers {
  json document;
  std::string text;
  std::string sarif;
  std::string junit;
};

Answers answers(const std::string& verb, const std::string& arguments) {
  const std::string sarif = write_temporary(verb + ".sarif", "");
  const std::string junit = write_temporary(verb + ".xml", "");
  const std::string text =
      run_overlane(fmt::format("{} {} --sarif {} --junit {}", verb, arguments, sarif, junit)).out;
  return {.document = json::parse(run_overlane(verb + " -o json " + arguments).out),
          .text = words_of(text),
          .sarif = words_of(strings_of_json(read_text(sarif))),
          .junit = xml_words(read_text(junit))};
}

std::vector<std::string> finding_texts(const json& findings) {
  std::vector<std::string> texts;
  for (const json& finding : findings)
    for (const char* field : {"severity", "rule", "message", "hint"})
      texts.push_back(finding.value(field, ""));
  return texts;
}

TEST(Formats, OfCheckHaveEveryFinding) {
  const Answers all = answers("check", "topologies/library/manifests topologies/library/landscape");
  ASSERT_GT(all.document["findings"].size(), 100u);
  const std::vector<std::string> texts = finding_texts(all.document["findings"]);
  for (const std::string* format : {&all.text, &all.sarif, &all.junit})
    EXPECT_THAT(missing_texts(texts, *format), IsEmpty());
}

TEST(Formats, OfOverlapHaveEveryOverlapQuotaAndFinding) {
  const Answers all =
      answers("overlap", fmt::format("--notes --pairs 1000000 --plan {}", kLandscape));
  const std::string csv =
      csv_words(run_overlane(fmt::format("overlap --notes -o csv {}", kLandscape)).out);
  ASSERT_GT(all.document["overlaps"].size(), 100u);
  std::vector<std::string> overlaps, details;
  for (const json& overlap : all.document["overlaps"]) {
    for (const char* end : {"a", "b"})
      overlaps.insert(overlaps.end(), {overlap[end]["owner"], overlap[end]["cidr"]});
    overlaps.insert(overlaps.end(), {overlap["intersection"], overlap["rule"]});
    details.push_back(overlap["consequence"]);
  }
  for (const std::string* format : {&all.text, &all.sarif, &all.junit, &csv})
    EXPECT_THAT(missing_texts(overlaps, *format), IsEmpty());
  for (const std::string* format : {&all.sarif, &all.junit, &csv})
    EXPECT_THAT(missing_texts(details, *format), IsEmpty());

  ASSERT_FALSE(all.document["findings"].empty());
  const std::vector<std::string> findings = finding_texts(all.document["findings"]);
  for (const std::string* format : {&all.text, &all.sarif, &all.junit})
    EXPECT_THAT(missing_texts(findings, *format), IsEmpty());

  std::vector<std::string> steps;
  for (const json& step : all.document["plan"])
    steps.push_back(step["shoot"]);
  ASSERT_FALSE(steps.empty());
  EXPECT_THAT(missing_texts(steps, all.text), IsEmpty());
}

TEST(Formats, OfRunHaveEveryFinding) {
  const std::string arguments =
      "topologies/library/manifests/shoot-aws.yaml --nodes 2 --set landscape.route-quota.aws=1";
  const std::string page = write_temporary("run.html", "");
  const Answer text = run_overlane(fmt::format("run {} --html {}", arguments, page));
  const json document = json::parse(run_overlane("run -o json " + arguments).out);
  ASSERT_FALSE(document["findings"].empty());
  const std::vector<std::string> findings = finding_texts(document["findings"]);
  EXPECT_THAT(missing_texts(findings, words_of(text.out)), IsEmpty());
  EXPECT_THAT(missing_texts(findings, words_of(read_text(page), answer::testing::Format::Html)),
              IsEmpty());
}

}  // namespace formats_test
}  // namespace overlane::command

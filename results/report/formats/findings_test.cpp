#include "results/report/formats/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::report {
namespace sarif_test {

const SarifRule kRules[] = {
    {.id = "empty-file", .title = "A file has no document.", .enforcer = "overlane"},
    {.id = "invalid-cidr", .title = "A CIDR has host bits.", .enforcer = "admission"},
};

const SarifOptions kOptions{.version = "1.2.3", .rules_url = "", .root = "/work tree"};

Finding finding_in(const std::string& file) {
  return {.rule = "invalid-cidr",
          .severity = Severity::Warning,
          .message = "garden-dev/one: 10.0.0.5/16 has host bits",
          .object = {"Shoot", "garden-dev", "one"},
          .path = "spec.networking.pods",
          .place = {file, 7, 11},
          .hint = "write 10.0.0.0/16"};
}

nlohmann::ordered_json run_of(const Findings& findings, const SarifOptions& options = kOptions) {
  return encode_sarif({.findings = findings}, kRules, options)["runs"][0];
}

TEST(Sarif, NamesTheToolAndAllRules) {
  const auto log = encode_sarif({}, kRules, kOptions);
  EXPECT_EQ(log["version"], "2.1.0");
  const auto driver = log["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "overlane");
  EXPECT_EQ(driver["version"], "1.2.3");
  EXPECT_EQ(driver["rules"].size(), std::size(kRules));
  EXPECT_FALSE(driver["rules"][0].contains("helpUri"));
  EXPECT_TRUE(log["runs"][0]["results"].empty());
  EXPECT_EQ(log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file:///work%20tree/");
}

TEST(Sarif, RulesLinkToThePublishedPage) {
  SarifOptions options = kOptions;
  options.rules_url = "https://example.org/rules.html";
  for (const auto& rule : run_of({}, options)["tool"]["driver"]["rules"])
    EXPECT_EQ(rule["helpUri"], "https://example.org/rules.html#" + rule["id"].get<std::string>());
}

TEST(Sarif, AFindingIsAResultOfItsRule) {
  const auto run = run_of({finding_in("shoot.yaml")});
  const auto& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "invalid-cidr");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
            "invalid-cidr");
  EXPECT_EQ(result["level"], "warning");
  EXPECT_EQ(result["message"]["text"],
            "garden-dev/one: 10.0.0.5/16 has host bits; write 10.0.0.0/16");
  const auto& location = result["locations"][0];
  EXPECT_EQ(location["physicalLocation"]["region"].dump(), R"({"startLine":7,"startColumn":11})");
  EXPECT_EQ(location["logicalLocations"][0]["fullyQualifiedName"],
            "garden-dev/one: spec.networking.pods");
}

struct UriRow {
  const char* what;
  const char* file;
  const char* json;
};

constexpr UriRow kUris[] = {
    {"a file", "a/shoot.yaml", R"({"uri":"a/shoot.yaml","uriBaseId":"%SRCROOT%"})"},
    {"a file with dots in its path", "./a/../b.yaml",
     R"({"uri":"b.yaml","uriBaseId":"%SRCROOT%"})"},
    {"an absolute path below the root", "/work tree/b.yaml",
     R"({"uri":"b.yaml","uriBaseId":"%SRCROOT%"})"},
    {"a name that a URI cannot contain", "a b#1%.yaml",
     R"({"uri":"a%20b%231%25.yaml","uriBaseId":"%SRCROOT%"})"},
    {"a name that is not ASCII", "sh\xc3\xb6n.yaml",
     R"({"uri":"sh%C3%B6n.yaml","uriBaseId":"%SRCROOT%"})"},
    {"a file elsewhere", "/etc/b.yaml", R"({"uri":"file:///etc/b.yaml"})"},
    {"a file in the parent of the root", "../b.yaml", R"({"uri":"file:///b.yaml"})"},
};

TEST(Sarif, FilesBelowTheRootAreRelative) {
  for (const UriRow& row : kUris) {
    const auto run = run_of({finding_in(row.file)});
    EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"].dump(),
              row.json)
        << row.what;
  }
}

TEST(Sarif, StandardInputHasNoPhysicalLocation) {
  const auto run = run_of({finding_in("<stdin>")});
  EXPECT_FALSE(run["results"][0]["locations"][0].contains("physicalLocation"));
  EXPECT_TRUE(run["results"][0]["locations"][0].contains("logicalLocations"));
}

TEST(Sarif, SuppressedFindingsHaveASuppression) {
  const Findings findings = {finding_in("a.yaml")};
  const Findings suppressed = {finding_in("b.yaml")};
  const auto results = encode_sarif({.findings = findings, .suppressed = suppressed}, kRules,
                                    kOptions)["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_FALSE(results[0].contains("suppressions"));
  EXPECT_EQ(results[1]["suppressions"].dump(), R"([{"kind":"inSource"}])");
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "b.yaml");
}

TEST(Sarif, AFileWithoutLinesHasNoRegion) {
  Finding finding = finding_in("gone.yaml");
  finding.place.line = finding.place.column = 0;
  finding.object = {};
  const auto run = run_of({finding});
  EXPECT_EQ(
      run["results"][0]["locations"][0].dump(),
      R"({"physicalLocation":{"artifactLocation":{"uri":"gone.yaml","uriBaseId":"%SRCROOT%"}}})");
}

}  // namespace sarif_test
namespace junit_test {

using ::testing::HasSubstr;
using ::testing::Not;

const ObjectName kOne{"Shoot", "garden-dev", "one"};

Finding finding(const char* rule, Severity severity, const ObjectName& object,
                const char* message) {
  return {.rule = rule,
          .severity = severity,
          .message = message,
          .object = object,
          .path = "",
          .place = {"x.yaml", 1, 1},
          .hint = ""};
}

FindingSet two_shoots() {
  static const Findings kFindings = {
      finding("invalid-cidr", Severity::Error, kOne, "pods"),
      finding("invalid-cidr", Severity::Error, kOne, "nodes"),
      finding("mtu-too-large", Severity::Warning, kOne, "too <large> & \"odd\"")};
  return {.verb = "check", .subjects = {"garden-dev/one", "garden-dev/two"}, .findings = kFindings};
}

TEST(Junit, EachSubjectAndViolatedRuleIsATestCase) {
  EXPECT_EQ(encode_junit(two_shoots(), Severity::Error),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="0">
  <testsuite name="overlane check" tests="3" failures="1" errors="0">
    <testcase classname="garden-dev/one" name="checked">
      <system-out>x.yaml:1:1: warning: too &lt;large&gt; &amp; &quot;odd&quot; [mtu-too-large]
</system-out>
    </testcase>
    <testcase classname="garden-dev/one" name="invalid-cidr">
      <failure type="error" message="pods">x.yaml:1:1: error: pods [invalid-cidr]
x.yaml:1:1: error: nodes [invalid-cidr]
</failure>
    </testcase>
    <testcase classname="garden-dev/two" name="checked"/>
  </testsuite>
</testsuites>
)");
}

TEST(Junit, FindingsBelowTheThresholdDoNotFail) {
  const std::string xml = encode_junit(two_shoots(), Severity::Warning);
  EXPECT_THAT(xml, HasSubstr("<testsuites tests=\"4\" failures=\"2\" errors=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"warning\""));
  EXPECT_THAT(xml, Not(HasSubstr("system-out")));
}

TEST(Junit, FindingWithoutShootBelongsToItsFile) {
  const Findings findings = {finding("invalid-yaml", Severity::Error, {}, "no YAML")};
  EXPECT_THAT(encode_junit({.verb = "check", .findings = findings}, Severity::Error),
              HasSubstr("<testcase classname=\"x.yaml\" name=\"invalid-yaml\">"));
}

TEST(Junit, EscapesBytesThatAreInvalidInXml) {
  const Findings findings = {finding("invalid-yaml", Severity::Error, {}, "\x01 \xff")};
  EXPECT_THAT(encode_junit({.verb = "check", .findings = findings}, Severity::Error),
              HasSubstr(R"(message="\x01 \xff")"));
}

}  // namespace junit_test
}  // namespace overlane::report

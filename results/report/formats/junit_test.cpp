#include "results/report/formats/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::report {
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

#include "results/finding/finding.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane {

namespace finding_test {

Finding host_bits() {
  return {.rule = "invalid-cidr",
          .severity = Severity::Error,
          .message = "garden-dev/a: 10.0.0.5/16 has host bits",
          .object = {"Shoot", "garden-dev", "a"},
          .path = "spec.networking.pods",
          .place = {"shoot.yaml", 12, 5},
          .hint = "write 10.0.0.0/16"};
}

TEST(Finding, TextHasLocationSeverityRuleAndHint) {
  EXPECT_EQ(host_bits().to_string(),
            "shoot.yaml:12:5: error: garden-dev/a: 10.0.0.5/16 has host bits [invalid-cidr]; "
            "write 10.0.0.0/16");
}

TEST(Finding, TextOmitsUnknownParts) {
  EXPECT_EQ((Finding{.severity = Severity::Note, .message = "nothing to do"}).to_string(),
            "note: nothing to do");
  EXPECT_EQ((SourceLocation{"a.yaml", 3, 0}).to_string(), "a.yaml:3");
}

TEST(Finding, ThresholdIncludesHigherSeverities) {
  Findings findings{{.severity = Severity::Warning}};
  EXPECT_TRUE(any_at_or_above(findings, Severity::Note));
  EXPECT_TRUE(any_at_or_above(findings, Severity::Warning));
  EXPECT_FALSE(any_at_or_above(findings, Severity::Error));
}

TEST(FindingJson, HasTheDocumentedFields) {
  const auto json = encode(Findings{host_bits()});
  EXPECT_EQ(json[0]["severity"], "error");
  EXPECT_EQ(json[0]["object"]["namespace"], "garden-dev");
  EXPECT_EQ(json[0]["line"], 12);
  EXPECT_TRUE(encode(Findings{{.message = "x"}})[0]["line"].is_null());
}

TEST(Result, HoldsAValueOrAFinding) {
  const Result<int> good = 7;
  const Result<int> bad = fail(host_bits());
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(bad.error().rule, "invalid-cidr");
}

}  // namespace finding_test

}  // namespace overlane

#include "scenarios/spec/scenario.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/parse.h"

namespace overlane::spec {
namespace {

using ::testing::HasSubstr;

Result<Scenario, Findings> decode(const std::string& text) {
  const document::Stream stream = document::parse(text, "scenario.yaml");
  EXPECT_EQ(stream.documents.size(), 1u);
  return decode_scenario(stream.documents.at(0));
}

constexpr const char* kHeader = R"(apiVersion: overlane.dev/v1alpha1
kind: Scenario
metadata: {name: test}
spec:
  topology: t.yaml
)";

/// A good scenario, but for what `rest` says; `rest` starts on line 6.
Result<Scenario, Findings> decode_with(const std::string& rest) {
  return decode(kHeader + rest);
}

TEST(Scenario, ReadsEveryFieldOfAFullFile) {
  const auto scenario = decode(R"(apiVersion: overlane.dev/v1alpha1
kind: Scenario
metadata: {name: full}
spec:
  manifests: [a.yaml, b.yaml]
  shoot: garden-dev/a
  costProfile: linux-server
  baseline: plain
  variants:
  - name: plain
  - name: tunnel
    networkConfig: {overlay: {enabled: true}}
  concurrent: false
  traffic:
  - {name: u, kind: udp, rate: 1Mbit/s, payloadBytes: 64, dontFragment: false, pattern: incast}
  - {name: t, kind: tcp, flows: 4, zones: same, windowBytes: 65536}
  - {name: r, kind: request-response, requestBytes: 1, responseBytes: 2, thinkTime: 1ms}
  duration: 1s
  warmup: 0s
  startSpread: 2ms
  seed: 7
)");
  ASSERT_TRUE(scenario) << scenario.error().front().to_string();
  EXPECT_EQ(scenario->name, "full");
  EXPECT_EQ(scenario->manifests, (std::vector<std::string>{"a.yaml", "b.yaml"}));
  EXPECT_EQ(scenario->shoot, "garden-dev/a");
  EXPECT_EQ(scenario->baseline, "plain");
  ASSERT_EQ(scenario->variants.size(), 2u);
  EXPECT_TRUE(scenario->variants[1].network_config.root()["overlay"]["enabled"].as_bool().value());
  EXPECT_FALSE(scenario->concurrent);
  ASSERT_EQ(scenario->traffic.size(), 3u);
  EXPECT_EQ(scenario->traffic[0].rate, BitsPerSecond{1'000'000});
  EXPECT_EQ(scenario->traffic[0].pattern, Pattern::Incast);
  EXPECT_FALSE(scenario->traffic[0].dont_fragment);
  EXPECT_EQ(scenario->traffic[1].flows, 4u);
  EXPECT_EQ(scenario->traffic[1].zones, Zones::Same);
  EXPECT_EQ(scenario->traffic[1].window_bytes, 65536);
  EXPECT_EQ(scenario->traffic[2].think_time, milliseconds(1));
  EXPECT_EQ(scenario->duration, seconds(1));
  EXPECT_EQ(scenario->warm_up, Picos{});
  EXPECT_EQ(scenario->seed, 7u);
}

struct BadCase {
  const char* what;
  const char* rest;  ///< From line 6 on.
  const char* rule;
  int line;
  const char* says;
};

class BadScenario : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadScenario, IsRefusedWithRulePlaceAndReason) {
  const BadCase& bad = GetParam();
  const auto scenario = decode_with(bad.rest);
  ASSERT_FALSE(scenario) << bad.what;
  const Finding& finding = scenario.error().front();
  EXPECT_EQ(finding.rule, bad.rule) << finding.to_string();
  EXPECT_EQ(finding.place.line, bad.line) << finding.to_string();
  EXPECT_GT(finding.place.column, 0);
  EXPECT_THAT(finding.to_string(), HasSubstr(bad.says));
}

constexpr const char* kTcp = "  traffic: [{name: a, kind: tcp}]\n";

INSTANTIATE_TEST_SUITE_P(
    Table, BadScenario,
    ::testing::Values(
        BadCase{"a misspelt traffic list", "  trafic: []\n", "no-traffic", 5, "nothing to measure"},
        BadCase{"no traffic", "  traffic: []\n", "no-traffic", 6, "nothing to measure"},
        BadCase{"a rate of zero",
                "  traffic:\n  - {name: a, kind: udp, payloadBytes: 1, rate: 0Gbit/s}\n",
                "invalid-quantity", 7, "rate of zero"},
        BadCase{"a negative rate",
                "  traffic:\n  - name: a\n    kind: udp\n    payloadBytes: 1\n    rate: -1Gbit/s\n",
                "invalid-quantity", 10, "is negative"},
        BadCase{"a rate without a unit",
                "  traffic:\n  - {name: a, kind: udp, payloadBytes: 1, rate: 100}\n",
                "invalid-quantity", 7, "has no unit"},
        BadCase{"udp without a rate", "  traffic:\n  - {name: a, kind: udp, payloadBytes: 1}\n",
                "missing-key", 7, "rate"},
        BadCase{"a payload larger than a packet",
                "  traffic:\n  - {name: a, kind: udp, rate: 1Mbit/s, payloadBytes: 65508}\n",
                "out-of-range", 7, "between 1 and 65507"},
        BadCase{"a field of another kind of traffic",
                "  traffic:\n  - {name: a, kind: tcp, rate: 1Mbit/s}\n", "unknown-key", 7, "rate"},
        BadCase{"a name twice", "  traffic: [{name: a, kind: tcp}, {name: a, kind: tcp}]\n",
                "duplicate-name", 6, "there twice"},
        BadCase{"no time to measure",
                "  traffic: [{name: a, kind: tcp}]\n  duration: 1ms\n  warmup: 1ms\n",
                "out-of-range", 8, "whole duration"},
        BadCase{"a duration of zero", "  traffic: [{name: a, kind: tcp}]\n  duration: 0s\n",
                "out-of-range", 7, "duration is zero"},
        BadCase{"a baseline that is no variant",
                "  traffic: [{name: a, kind: tcp}]\n  baseline: routed\n", "unknown-variant", 7,
                "no variant"},
        BadCase{"two subjects", "  traffic: [{name: a, kind: tcp}]\n  manifests: [a.yaml]\n",
                "no-subject", 5, "either a topology or manifests"}));

TEST(Scenario, AnUnknownKeyComesWithTheClosestKnownOne) {
  const auto scenario = decode_with(std::string(kTcp) + "  durration: 1s\n");
  ASSERT_FALSE(scenario);
  const std::string text = scenario.error().front().to_string();
  EXPECT_THAT(text, HasSubstr("scenario.yaml:7:3"));
  EXPECT_THAT(text, HasSubstr("durration"));
  EXPECT_THAT(text, HasSubstr("duration"));
}

TEST(Scenario, AnotherKindOrVersionIsNamed) {
  const auto kind = decode("apiVersion: overlane.dev/v1alpha1\nkind: Topology\n");
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().front().rule, "unsupported-kind");
  const auto version = decode("apiVersion: overlane.dev/v2\nkind: Scenario\n");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().front().rule, "unsupported-api-version");
}

}  // namespace
}  // namespace overlane::spec

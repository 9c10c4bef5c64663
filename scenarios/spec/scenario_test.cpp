#include "scenarios/spec/scenario.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::spec {

namespace scenario_test {

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

/// Decodes a valid scenario with `rest` added, which starts on line 6.
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
    encryption: wireguard
    family: ipv6
    loss: {withinZone: 0.01%, acrossZones: 1%, meanBurst: 2.5}
    pathMtu: {withinZone: 1480, acrossZones: 1400, tooBig: silent}
    deny: []
    mtuProbing: 1
  family: ipv4
  loss: {ratio: 100%}
  deny: [{protocol: icmp, type: 3, code: 4}, {protocol: udp, port: 8472}, {protocol: ipip}]
  concurrent: false
  traffic:
  - {name: u, kind: udp, rate: 1Mbit/s, payloadBytes: 64, dontFragment: false, pattern: incast}
  - {name: t, kind: tcp, flows: 4, zones: same, windowBytes: 65536, to: node}
  - {name: r, kind: request-response, requestBytes: 1, responseBytes: 2, thinkTime: 1ms, from: node}
  - {name: p, kind: udp, rate: 1Mbit/s, payloadBytes: 125, arrivals: poisson, onTime: 2ms, offTime: 3ms,
     pattern: hot-spot, hotShare: 0.25, podsPerNode: 3}
  - {name: f, kind: tcp, transferBytes: 1000, gap: 5ms, gapDistribution: fixed,
     connections: per-request, mtuProbing: 2, congestionControl: reno,
     pattern: permutation}
  - {name: s, kind: tcp, sizes: {distribution: pareto, mean: 100000, shape: 1.25, cap: 10000000}}
  - {name: l, kind: tcp, sizes: {distribution: lognormal, mean: 5000, sigma: 1.5}}
  - name: e
    kind: tcp
    sizes: {distribution: empirical, points: [{bytes: 9, cumulative: 25%}, {bytes: 11, cumulative: 100%}]}
  duration: 1s
  warmup: 0s
  startSpread: 2ms
  seed: 7
  repetitions: 3
  fast: true
)");
  ASSERT_TRUE(scenario) << scenario.error().front().to_string();
  EXPECT_EQ(scenario->name, "full");
  EXPECT_EQ(scenario->manifests, (std::vector<std::string>{"a.yaml", "b.yaml"}));
  EXPECT_EQ(scenario->shoot, "garden-dev/a");
  EXPECT_EQ(scenario->baseline, "plain");
  ASSERT_EQ(scenario->variants.size(), 2u);
  EXPECT_TRUE(scenario->variants[1].network_config.root()["overlay"]["enabled"].as_bool().value());
  EXPECT_FALSE(scenario->variants[0].wireguard);
  EXPECT_EQ(scenario->variants[1].wireguard, true);
  EXPECT_EQ(scenario->variants[0].family, Family::Ipv4) << "the scenario's";
  EXPECT_EQ(scenario->variants[1].family, Family::Ipv6);
  EXPECT_EQ(scenario->variants[0].loss, (fabric::Loss{1'000'000'000, 1'000'000'000, 0}))
      << "the scenario's";
  EXPECT_EQ(scenario->variants[1].loss, (fabric::Loss{100'000, 10'000'000, 2'500}));
  EXPECT_EQ(scenario->variants[0].fabric.path_mtu, std::nullopt);
  EXPECT_EQ(scenario->variants[0].fabric.denied,
            (std::vector<node::DenyRule>{{.protocol = 1, .icmp_type = 3, .icmp_code = 4},
                                         {.protocol = 17, .port = 8472},
                                         {.protocol = 4}}));
  EXPECT_EQ(scenario->variants[0].mtu_probing, std::nullopt);
  EXPECT_EQ(scenario->variants[1].fabric.path_mtu, (node::FabricPathMtu{1480, 1400, true}));
  EXPECT_EQ(scenario->variants[1].fabric.denied, std::vector<node::DenyRule>{}) << "nothing";
  EXPECT_EQ(scenario->variants[1].mtu_probing, 1);
  EXPECT_FALSE(scenario->concurrent);
  ASSERT_EQ(scenario->traffic.size(), 8u);
  EXPECT_EQ(scenario->traffic[0].rate, BitsPerSecond{1'000'000});
  EXPECT_EQ(scenario->traffic[0].pattern, Pattern::Incast);
  EXPECT_FALSE(scenario->traffic[0].dont_fragment);
  EXPECT_EQ(scenario->traffic[1].flows, 4u);
  EXPECT_EQ(scenario->traffic[1].zones, Zones::Same);
  EXPECT_EQ(scenario->traffic[1].window_bytes, 65536);
  EXPECT_EQ(scenario->traffic[2].think_time, milliseconds(1));
  const auto ends = [&](std::size_t i) {
    return std::pair(scenario->traffic[i].from_node, scenario->traffic[i].to_node);
  };
  EXPECT_EQ(ends(0), std::pair(false, false));
  EXPECT_EQ(ends(1), std::pair(false, true));
  EXPECT_EQ(ends(2), std::pair(true, false));
  const Traffic& poisson = scenario->traffic[3];
  EXPECT_TRUE(poisson.poisson);
  EXPECT_EQ(poisson.on, Distribution::exponential(milliseconds(2).count));
  EXPECT_EQ(poisson.off, Distribution::exponential(milliseconds(3).count));
  EXPECT_EQ(poisson.pattern, Pattern::HotSpot);
  EXPECT_EQ(poisson.hot_ppm, 250'000);
  EXPECT_EQ(poisson.pods_per_node, 3u);
  const Traffic& files = scenario->traffic[4];
  EXPECT_EQ(files.transfer, Distribution::fixed(1'000));
  EXPECT_EQ(files.gap, Distribution::fixed(milliseconds(5).count));
  EXPECT_TRUE(files.connection_per_request);
  EXPECT_EQ(files.mtu_probing, 2);
  EXPECT_EQ(files.congestion_control, transport::CongestionControl::NewReno);
  EXPECT_EQ(scenario->traffic[5].congestion_control, transport::CongestionControl::Cubic);
  EXPECT_EQ(files.pattern, Pattern::Permutation);
  EXPECT_EQ(scenario->traffic[5].transfer, Distribution::pareto(100'000, 1'250, 10'000'000));
  EXPECT_EQ(scenario->traffic[6].transfer, Distribution::lognormal(5'000, 1'500));
  EXPECT_EQ(scenario->traffic[7].transfer,
            Distribution::empirical({{9, 250'000'000}, {11, 1'000'000'000}}));
  EXPECT_EQ(scenario->duration, seconds(1));
  EXPECT_EQ(scenario->warm_up, Picos{});
  EXPECT_EQ(scenario->seed, 7u);
  EXPECT_EQ(scenario->repetitions, 3u);
  EXPECT_TRUE(scenario->fast);
}

struct BadCase {
  const char* what;
  const char* rest;  ///< From line 6.
  const char* rule;
  int line;
  const char* says;
};

class BadScenario : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadScenario, IsRefusedWithRuleLocationAndReason) {
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
        BadCase{"a fast that is no truth value",
                "  fast: often\n  traffic: [{name: a, kind: tcp}]\n", "wrong-type", 6, "spec.fast"},
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
        BadCase{
            "a time to send without one not to",
            "  traffic:\n  - {name: a, kind: udp, rate: 1Mbit/s, payloadBytes: 1, onTime: 1ms}\n",
            "incomplete", 7, "onTime and offTime belong together"},
        BadCase{
            "a time to send that no datagram fits into",
            "  traffic:\n  - {name: a, kind: udp, rate: 1Mbit/s, payloadBytes: 125, onTime: 999us, "
            "offTime: 1s}\n",
            "out-of-range", 7, "one datagram at this rate takes 1000000 ns"},
        BadCase{"never silent",
                "  traffic:\n  - {name: a, kind: udp, rate: 1Mbit/s, payloadBytes: 1, onTime: 1s, "
                "offTime: "
                "0s}\n",
                "out-of-range", 7, "offTime is zero"},
        BadCase{"two sizes",
                "  traffic:\n  - {name: a, kind: tcp, transferBytes: 1, sizes: {distribution: "
                "fixed, mean: 2}}\n",
                "bad-value", 7, "both say"},
        BadCase{"an unknown distribution",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: parreto, mean: 2}}\n",
                "bad-value", 7, "pareto"},
        BadCase{
            "pareto without a cap",
            "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: pareto, mean: 2, shape: "
            "2}}\n",
            "missing-key", 7, "cap"},
        BadCase{"a shape of what has none",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: fixed, mean: 2, shape: "
                "2}}\n",
                "bad-value", 7, "shape is for distribution pareto"},
        BadCase{
            "a tail too heavy to have a mean",
            "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: pareto, mean: 2, shape: "
            "1, cap: 9}}\n",
            "out-of-range", 7, "between 1.05 and 10"},
        BadCase{"a mean above the cap",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: pareto, mean: 20, "
                "shape: 2, cap: 9}}\n",
                "out-of-range", 7, "make cap larger than mean"},
        BadCase{"a mean that needs sizes below a byte",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: pareto, mean: 2, "
                "shape: 1.1, cap: 1000000}}\n",
                "out-of-range", 7, "make mean or shape larger"},
        BadCase{"a lognormal without its sigma",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: lognormal, mean: 2}}\n",
                "missing-key", 7, "lognormal distribution needs sigma"},
        BadCase{"points that fall",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: empirical, points: "
                "[{bytes: 10, cumulative: 50%}, {bytes: 9, cumulative: 100%}]}}\n",
                "bad-value", 7, "must rise"},
        BadCase{"points that leave something open",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: empirical, points: "
                "[{bytes: 10, cumulative: 50%}]}}\n",
                "bad-value", 7, "100%"},
        BadCase{"points and a mean",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: empirical, mean: 3, "
                "points: [{bytes: 10, cumulative: 100%}]}}\n",
                "bad-value", 7, "the points say"},
        BadCase{"an empty list of points",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: empirical, points: "
                "[]}}\n",
                "missing-key", 7, "empirical distribution needs points"},
        BadCase{"no points",
                "  traffic:\n  - {name: a, kind: tcp, sizes: {distribution: empirical}}\n",
                "missing-key", 7, "empirical distribution needs points"},
        BadCase{"a share above all", "  loss: {ratio: 101%}\n", "invalid-quantity", 6, "too large"},
        BadCase{"a share without a unit", "  loss: {ratio: 0.01}\n", "invalid-quantity", 6,
                "for example 0.1%"},
        BadCase{"a loss said twice", "  loss: {ratio: 1%, withinZone: 2%}\n", "bad-value", 6,
                "both say what is lost there"},
        BadCase{"bursts too short for the loss", "  loss: {ratio: 60%, meanBurst: 1}\n",
                "out-of-range", 6, "at most 50.0% can be lost"},
        BadCase{"loss of a kind that is not modelled", "  loss: {reordering: 1%}\n", "unknown-key",
                6, "reordering"},
        BadCase{"a path MTU below any", "  pathMtu: {acrossZones: 67}\n", "out-of-range", 6,
                "acrossZones"},
        BadCase{"a path MTU of its own kind", "  pathMtu: {tooBig: icmpv6}\n", "bad-value", 6,
                "did you mean icmp"},
        BadCase{"a path MTU of all", "  pathMtu: {all: 1400}\n", "unknown-key", 6, "all"},
        BadCase{"nothing denied", "  deny: [{port: 4789}]\n", "missing-key", 6, "protocol"},
        BadCase{"a protocol by another name", "  deny: [{protocol: ipencap}]\n", "bad-value", 6,
                "ipip"},
        BadCase{"ports of IPIP", "  deny: [{protocol: ipip, port: 4789}]\n", "bad-value", 6,
                "port is TCP's and UDP's"},
        BadCase{"types of UDP", "  deny: [{protocol: udp, type: 3}]\n", "bad-value", 6,
                "type is ICMP's"},
        BadCase{"a code of no type", "  deny: [{protocol: icmp, code: 4}]\n", "bad-value", 6,
                "codes are a type's"},
        BadCase{"a port of two", "  deny: [{protocol: udp, ports: 4789}]\n", "unknown-key", 6,
                "ports"},
        BadCase{"a denied word", "  deny: icmp\n", "wrong-type", 6, "deny"},
        BadCase{"probing beyond 2", "  variants: [{name: a, mtuProbing: 3}]\n", "out-of-range", 6,
                "mtuProbing"},
        BadCase{"a size of zero", "  traffic:\n  - {name: a, kind: tcp, transferBytes: 0}\n",
                "out-of-range", 7, "between 1 and"},
        BadCase{"a size that does not fit 64 bits",
                "  traffic:\n  - {name: a, kind: tcp, transferBytes: 99999999999999999999}\n",
                "wrong-type", 7, "transferBytes"},
        BadCase{"a gap behind what never ends", "  traffic:\n  - {name: a, kind: tcp, gap: 1ms}\n",
                "incomplete", 7, "this one never ends"},
        BadCase{"a connection per endless transfer",
                "  traffic:\n  - {name: a, kind: tcp, connections: per-request}\n", "incomplete", 7,
                "transfers that end"},
        BadCase{"more pods of a pair", "  traffic:\n  - {name: a, kind: tcp, podsPerNode: 2}\n",
                "bad-value", 7, "one pair of pods"},
        BadCase{"no pods", "  traffic:\n  - {name: a, kind: tcp, pattern: ring, podsPerNode: 0}\n",
                "out-of-range", 7, "between 1 and"},
        BadCase{"a share above one",
                "  traffic:\n  - {name: a, kind: tcp, pattern: hot-spot, hotShare: 1.01}\n",
                "out-of-range", 7, "between 0 and 1"},
        BadCase{"a share that is no number",
                "  traffic:\n  - {name: a, kind: tcp, pattern: hot-spot, hotShare: .nan}\n",
                "wrong-type", 7, "must be a number"},
        BadCase{"a share of nothing hot",
                "  traffic:\n  - {name: a, kind: tcp, pattern: ring, hotShare: 0.5}\n", "bad-value",
                7, "hotShare is for pattern hot-spot"},
        BadCase{"a way of probing that Linux does not have",
                "  traffic:\n  - {name: a, kind: tcp, mtuProbing: 3}\n", "out-of-range", 7,
                "between 0 and 2"},
        BadCase{"a congestion control that is not modelled",
                "  traffic:\n  - {name: a, kind: tcp, congestionControl: bbr}\n", "bad-value", 7,
                "bbr"},
        BadCase{"congestion control of datagrams",
                "  traffic:\n  - {name: a, kind: request-response, requestBytes: 1, responseBytes: "
                "1, protocol: udp, congestionControl: reno}\n",
                "bad-value", 7, "congestionControl is TCP's"},
        BadCase{"flows beyond counting", "  traffic:\n  - {name: a, kind: tcp, flows: 10000000}\n",
                "out-of-range", 7, "between 1 and 100000"},
        BadCase{"a rate beyond every wire",
                "  traffic:\n  - {name: a, kind: udp, payloadBytes: 1, rate: 10001Gbit/s}\n",
                "invalid-quantity", 7, "too large"},
        BadCase{"a duration of years", "  traffic: [{name: a, kind: tcp}]\n  duration: 31536000s\n",
                "invalid-quantity", 7, "too large"},
        BadCase{"starts behind the end",
                "  traffic: [{name: a, kind: tcp}]\n  duration: 1ms\n  startSpread: 1001us\n",
                "out-of-range", 8, "behind the end"},
        BadCase{"a spread of starts of years",
                "  traffic: [{name: a, kind: tcp}]\n  startSpread: 31536000s\n", "invalid-quantity",
                7, "too large"},
        BadCase{"a name twice", "  traffic: [{name: a, kind: tcp}, {name: a, kind: tcp}]\n",
                "duplicate-name", 6, "there twice"},
        BadCase{"no time to measure",
                "  traffic: [{name: a, kind: tcp}]\n  duration: 1ms\n  warmup: 1ms\n",
                "out-of-range", 8, "warmup, 1ms, takes the whole duration, 1ms"},
        BadCase{"a duration of zero", "  traffic: [{name: a, kind: tcp}]\n  duration: 0s\n",
                "out-of-range", 7, "duration is zero"},
        BadCase{"a baseline that is no variant",
                "  traffic: [{name: a, kind: tcp}]\n  baseline: routed\n", "unknown-variant", 7,
                "no variant"},
        BadCase{"two subjects", "  traffic: [{name: a, kind: tcp}]\n  manifests: [a.yaml]\n",
                "no-subject", 5, "either a topology or manifests"}));

TEST(Scenario, UnknownKeySuggestsTheClosestKnownOne) {
  const auto scenario = decode_with(std::string(kTcp) + "  durration: 1s\n");
  ASSERT_FALSE(scenario);
  const std::string text = scenario.error().front().to_string();
  EXPECT_THAT(text, HasSubstr("scenario.yaml:7:3"));
  EXPECT_THAT(text, HasSubstr("durration"));
  EXPECT_THAT(text, HasSubstr("duration"));
}

TEST(Scenario, ErrorIsReportedOnce) {
  for (const std::string wrong :
       {"  traffic: [{name: a, kind: tcp}]\n  duration: 4000s\n  warmup: 1s\n",
        "  traffic: [{name: a, kind: request-response, protocol: udp, requestBytes: 0}]\n",
        "  traffic: [{name: a, kind: request-response, protocol: udp, responseBytes: 70000}]\n"}) {
    const auto scenario = decode_with(wrong);
    ASSERT_FALSE(scenario) << wrong;
    EXPECT_EQ(scenario.error().size(), 1u) << scenario.error().back().to_string();
  }
}

TEST(Scenario, OtherKindOrVersionIsNamed) {
  const auto kind = decode("apiVersion: overlane.dev/v1alpha1\nkind: Topology\n");
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().front().rule, "unsupported-kind");
  const auto version = decode("apiVersion: overlane.dev/v2\nkind: Scenario\n");
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().front().rule, "unsupported-api-version");
}

}  // namespace scenario_test

}  // namespace overlane::spec

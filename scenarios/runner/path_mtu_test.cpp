#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {

namespace path_mtu_test {

using testing::Folder;
using ::testing::HasSubstr;

constexpr const char* kStream = "kind: tcp, zones: different";

Request request(const Folder& folder, const std::string& spec, const std::string& traffic = kStream,
                const std::string& vpc = "") {
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
               "  vpcs: [{name: v, zones: [a, b], mtu: 1500, latency: {acrossZones: 1ms}" +
                   vpc + "}]\n  shoots: [{manifest: " + testing::manifest("shoot-aws.yaml") +
                   ", nodes: 2, machine: {nic: 100Mbit/s}}]\n");
  return {.paths = {folder.write(
              "s.yaml",
              "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
              "  topology: topology.yaml\n  traffic: [{name: a, " +
                  traffic + "}]\n  duration: 5s\n  warmup: 500ms\n" + spec)}};
}

/// The severity of the finding about a path MTU black hole; nothing if there is no such finding.
std::optional<Severity> told(const Findings& findings) {
  const auto found = std::ranges::find(findings, "path-mtu-black-hole", &Finding::rule);
  return found == findings.end() ? std::nullopt : std::optional(found->severity);
}

constexpr const char* kRouted = "networkConfig: {overlay: {enabled: false}}";
constexpr const char* kIpip = "networkConfig: {overlay: {enabled: true}}";
constexpr const char* kVxlan = "networkConfig: {overlay: {enabled: true}, vxlan: {enabled: true}}";
constexpr const char* kDenied = "deny: [{protocol: icmp, type: 3, code: 4}]";
constexpr const char* kSilent = "pathMtu: {acrossZones: 1400, tooBig: silent}";

/// The path between nodes has an MTU of 1,400 bytes, their links 1,500. With tcp_mtu_probing 1,
/// Linux suspects a black hole after tcp_retries1 (3) timeouts, 3 s after the first transmission;
/// the stream then sends for 2 s of the 4.5 s of the measurement.
TEST(PathMtuBlackHole, ReducesGoodputDependingOnIcmpAndProbing) {
  struct Row {
    const char* what;
    const char* mode;
    const char* fabric;
    int probing;
    double least;  ///< Minimum goodput, as a share of the 100 Mbit/s link.
    double most;
    std::optional<Severity> told;
  };
  for (const Row& row : {
           Row{"ICMP tells the pod", kRouted, "deny: []", 0, 0.9, 1, {}},
           Row{"ICMP tells the node, and that the pod", kIpip, "deny: []", 0, 0.9, 1, {}},
           Row{"other ICMP is denied",
               kRouted,
               "deny: [{protocol: icmp, type: 11}]",
               0,
               0.9,
               1,
               {}},
           Row{"a black hole", kRouted, kDenied, 0, 0, 0, Severity::Warning},
           Row{"a black hole in IPIP", kIpip, kDenied, 0, 0, 0, Severity::Warning},
           Row{"nobody answers", kRouted, kSilent, 0, 0, 0, Severity::Warning},
           Row{"VXLAN's packets have no DF", kVxlan, "deny: []", 0, 0, 0, Severity::Warning},
           Row{"probing 1", kRouted, kDenied, 1, 0.35, 0.47, Severity::Note},
           Row{"probing 1 in VXLAN", kVxlan, "deny: []", 1, 0.35, 0.47, Severity::Note},
           Row{"probing 2", kRouted, kDenied, 2, 0.9, 1, Severity::Note},
           Row{"a wide path", kRouted, "pathMtu: {withinZone: 1400}", 0, 0.9, 1, {}},
       }) {
    const Folder folder;
    const model::RunReport report = testing::run_or_fail(request(
        folder, fmt::format("  pathMtu: {{acrossZones: 1400}}\n  variants: [{{name: x, {}, {}, "
                            "mtuProbing: {}}}]\n",
                            row.mode, row.fabric, row.probing)));
    const model::VariantResult& variant = report.variants.at(0);
    EXPECT_EQ(variant.status, model::VariantStatus::Ok) << row.what << variant.reason;
    const double share = static_cast<double>(variant.traffic.at(0).goodput_bps) / 1e8;
    EXPECT_GE(share, row.least) << row.what;
    EXPECT_LE(share, row.most) << row.what;
    EXPECT_EQ(told(report.findings), row.told) << row.what;
  }
}

TEST(PathMtuBlackHole, ShowsItsEntriesAndTheEffectOfEach) {
  const Folder folder;
  Request asked = request(folder, std::string("  variants: [{name: x, ") + kRouted + ", " +
                                      kDenied + ", pathMtu: {acrossZones: 1400}}]\n");
  asked.why = Why::Goodput;
  asked.threads = 1;
  const model::RunReport report = testing::run_or_fail(asked);
  const model::VariantResult& variant = report.variants.at(0);
  const DropCounts& drops = variant.traffic.at(0).drops;
  EXPECT_GT(drops[Drop::FabricMtuExceeded], 0);
  EXPECT_EQ(drops[Drop::FabricPacketFilter], drops[Drop::FabricMtuExceeded])
      << "the answer to each";
  const model::Limit& limit = variant.limits.at(0);
  EXPECT_EQ(limit.station, "drop fabric-mtu-exceeded");
  EXPECT_THAT(limit.constant, HasSubstr("path mtu across zones 1400, deny icmp type 3 code 4"));
  ASSERT_EQ(limit.movements.size(), 2u);
  for (const model::Movement& movement : limit.movements)
    EXPECT_GT(movement.after, 90'000'000) << movement.constant;
  EXPECT_EQ(limit.movements[0].constant, "pathMtu");
  EXPECT_EQ(limit.movements[0].moved_to, "1500 bytes within a zone, 1500 across");
  EXPECT_EQ(limit.movements[1].constant, "deny icmp type 3 code 4");
  EXPECT_EQ(limit.movements[1].moved_to, "disabled");
  EXPECT_EQ(limit.movements[1].source, "the scenario");
  const auto finding = std::ranges::find(report.findings, "path-mtu-black-hole", &Finding::rule);
  ASSERT_NE(finding, report.findings.end());
  EXPECT_THAT(
      finding->message,
      HasSubstr("from node-1 to node-2, but those of 1500 bytes are dropped "
                "(fabric-mtu-exceeded) and the pod gets no ICMP error: path mtu across zones "
                "1400, deny icmp type 3 code 4"));
  EXPECT_GT(finding->place.line, 0);
}

/// Traffic that a packet filter drops entirely is not a black hole. The check of the paths before
/// the run reports it.
TEST(Deny, BlocksThePathsThatMatch) {
  struct Row {
    const char* mode;
    const char* deny;
    const char* traffic;
    model::VariantStatus status;
    const char* reason;
  };
  using enum model::VariantStatus;
  for (const Row& row : {
           Row{kIpip, "{protocol: ipip}", kStream, NotDeliverable, "refused it: deny ipip)"},
           Row{kRouted, "{protocol: ipip}", kStream, Ok, ""},
           Row{kVxlan, "{protocol: udp, port: 4789}", kStream, NotDeliverable,
               "refused it: deny udp port 4789)"},
           Row{kVxlan, "{protocol: udp, port: 8472}", kStream, Ok, ""},
           Row{kRouted, "{protocol: udp, port: 4789}", kStream, Ok, ""},
           Row{kRouted, "{protocol: tcp}", kStream, NotDeliverable, "deny tcp"},
           Row{kRouted, "{protocol: tcp}", "kind: udp, rate: 1Mbit/s, payloadBytes: 99", Ok, ""},
           Row{kRouted, "{protocol: tcp, port: 5201}", kStream, Partial,
               "1 of 2 pod-to-pod paths are blocked; node-1 to node-2"},
           Row{kIpip, "{protocol: icmp}", kStream, Ok, ""},
       }) {
    const Folder folder;
    const model::RunReport report = testing::run_or_fail(request(
        folder, fmt::format("  variants: [{{name: x, {}, deny: [{}]}}]\n", row.mode, row.deny),
        row.traffic));
    const model::VariantResult& variant = report.variants.at(0);
    EXPECT_EQ(variant.status, row.status) << row.deny;
    EXPECT_THAT(variant.reason, HasSubstr(row.reason)) << row.deny;
  }
}

TEST(Fabric, VariantOverridesScenarioAndTopology) {
  const Folder folder;
  const model::RunReport report = testing::run_or_fail(
      request(folder,
              "  deny: [{protocol: udp}]\n  variants:\n"
              "  - {name: scenarios}\n  - {name: own, deny: []}\n"
              "  - {name: topologys-path, deny: [], pathMtu: {acrossZones: 1500}}\n",
              "kind: udp, rate: 1Mbit/s, payloadBytes: 1400, dontFragment: true",
              ", deny: [{protocol: tcp}], pathMtu: {acrossZones: 1400}"));
  EXPECT_EQ(report.variants.at(0).status, model::VariantStatus::NotDeliverable);
  EXPECT_THAT(report.variants.at(0).reason, HasSubstr("deny udp"));
  EXPECT_EQ(report.variants.at(1).traffic.at(0).goodput_bps, 0) << "the topology's path MTU";
  EXPECT_GT(report.variants.at(2).traffic.at(0).goodput_bps, 0);
}

TEST(Fabric, IsRefusedForVethPairs) {
  const Folder folder;
  for (const char* said : {"  pathMtu: {withinZone: 1400}\n", "  deny: [{protocol: udp}]\n"}) {
    folder.write("veth.yaml",
                 "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
                 "  vpcs: [{name: v, zones: [a]}]\n  shoots: [{manifest: " +
                     testing::manifest("shoot-aws.yaml") + ", nodes: 2, wire: veth}]\n");
    const auto refused = prepare(
        {.paths = {folder.write("s.yaml", std::string("apiVersion: overlane.dev/v1alpha1\n"
                                                      "kind: Scenario\nmetadata: {name: s}\n"
                                                      "spec:\n  topology: veth.yaml\n"
                                                      "  traffic: [{name: a, kind: tcp}]\n") +
                                              said)}});
    ASSERT_FALSE(refused) << said;
    EXPECT_THAT(refused.error().findings.at(0).message, HasSubstr("veth pairs join these nodes"));
  }
}

}  // namespace path_mtu_test

namespace mtu_probing_test {

struct Row {
  const char* manifest;
  const char* traffic;
  int expected;
  bool is_assumed;
};

/// Gardener's Cilium extension sets packetization-layer-pmtud-mode: blackhole; Calico keeps the
/// kernel's default.
TEST(MtuProbing, DefaultsToTheNetworkExtensionsSetting) {
  for (const Row& row : {
           Row{"shoot-aws-cilium.yaml", "kind: tcp", 1, true},
           Row{"shoot-aws-cilium.yaml", "kind: request-response", 1, true},
           Row{"shoot-aws-cilium.yaml", "kind: tcp, mtuProbing: 0", 0, false},
           Row{"shoot-aws-cilium.yaml", "kind: tcp, mtuProbing: 2", 2, false},
           Row{"shoot-aws-cilium.yaml", "kind: udp, rate: 1Mbit/s, payloadBytes: 9", 0, false},
           Row{"shoot-aws-cilium.yaml", "kind: request-response, protocol: udp", 0, false},
           Row{"shoot-aws.yaml", "kind: tcp", 0, false},
       }) {
    const testing::Folder folder;
    const auto prepared = prepare(
        {.paths = {folder.write(
             "s.yaml",
             "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
             "  manifests: [" +
                 testing::manifest(row.manifest) + "]\n  traffic: [{name: a, " + row.traffic +
                 "}]\n")}});
    ASSERT_TRUE(prepared) << row.traffic;
    EXPECT_EQ(prepared->traffic[0].mtu_probing, row.expected) << row.traffic;
    const auto& assumptions = prepared->subject.assumptions;
    EXPECT_EQ(std::ranges::count(assumptions, "tcp.mtu_probing", &model::Assumption::parameter),
              row.is_assumed ? 1 : 0)
        << row.traffic;
  }
}

}  // namespace mtu_probing_test

}  // namespace overlane::runner

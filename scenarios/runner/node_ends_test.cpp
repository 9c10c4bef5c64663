#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/observed.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace node_ends_test {

using model::VariantStatus;
using testing::Folder;
using ::testing::HasSubstr;
using testing::run_or_fail;

const model::TrafficResult& result(const model::VariantResult& variant, std::string_view name) {
  const auto found = std::ranges::find(variant.traffic, name, &model::TrafficResult::name);
  EXPECT_NE(found, variant.traffic.end()) << name;
  return *found;
}

TEST(NodeEnds, GiveAReferenceForPodNetworking) {
  const model::RunReport report =
      run_or_fail({.paths = {source_file("scenarios/library/node-network.yaml")}});
  ASSERT_EQ(report.variants.size(), 3u);
  for (const model::VariantResult& variant : report.variants) {
    ASSERT_EQ(variant.status, VariantStatus::Ok) << variant.reason;
    EXPECT_GT(variant.byte_path.checked, 0);
    EXPECT_EQ(variant.byte_path.mismatched, 0);
    const auto latency = [&](std::string_view name) {
      return result(variant, name).latency_ns.mean();
    };
    EXPECT_LT(latency("requests-nodes"), latency("requests-node-pod")) << variant.name;
    EXPECT_LT(latency("requests-node-pod"), latency("requests-pods")) << variant.name;
    EXPECT_LT(latency("requests-pod-node"), latency("requests-pods")) << variant.name;
    const auto& baseline = report.variants.front();
    for (const char* name : {"bulk-nodes", "requests-nodes"}) {
      EXPECT_EQ(result(variant, name).goodput_bps, result(baseline, name).goodput_bps)
          << "whatever carries the pods";
    }
    // 1,448 bytes of payload per 1,538 bytes on the link.
    EXPECT_NEAR(static_cast<double>(result(variant, "bulk-nodes").goodput_bps), 9.415e9, 5e7);
  }
}

/// Traffic between every pair of kinds of ends with every transport; also datagrams that a node
/// must fragment.
constexpr const char* kTraffic = R"(
  traffic:
  - {name: a, kind: udp, rate: 10Mbit/s, payloadBytes: 100, from: node}
  - {name: b, kind: udp, rate: 100Mbit/s, payloadBytes: 20000, from: node}
  - {name: c, kind: request-response, from: node}
  - {name: d, kind: request-response, to: node}
  - {name: e, kind: request-response, from: node, to: node, connections: per-request}
  - {name: f, kind: request-response, protocol: udp, from: node, to: node}
  - {name: g, kind: request-response, from: node, to: service, connections: per-request}
  duration: 10ms
)";

struct Shoot {
  const char* manifest;
  const char* variant;
};
constexpr Shoot kShoots[] = {
    {"shoot-aws.yaml", "{name: v}"},
    {"shoot-aws-ipip.yaml", "{name: v}"},
    {"shoot-aws-ebpf.yaml", "{name: v}"},
    {"shoot-aws-cilium.yaml", "{name: v}"},
    {"shoot-aws-cilium.yaml", "{name: v, networkConfig: {overlay: {enabled: false}}}"},
    {"shoot-gcp.yaml", "{name: v, kubeProxy: IPVS}"},
    {"shoot-gcp-vxlan.yaml", "{name: v}"},
    {"shoot-azure.yaml", "{name: v}"},
    {"shoot-openstack.yaml", "{name: v}"},
    {"shoot-alicloud.yaml", "{name: v}"},
    {"shoot-aws-dual-stack.yaml", "{name: v, family: ipv4}"},
    {"shoot-aws-dual-stack.yaml", "{name: v, family: ipv6}"},
    {"shoot-gcp-dual-stack.yaml", "{name: v, family: ipv6}"},
    {"shoot-aws-ipv6.yaml", "{name: v}"},
};

TEST(NodeEnds, AreReachableInEveryKindOfShoot) {
  for (const Shoot& shoot : kShoots) {
    const Folder folder;
    const model::RunReport report = run_or_fail(
        {.paths = {folder.write("s.yaml", testing::scenario_of(shoot.manifest) + "  variants: [" +
                                              shoot.variant + "]" + kTraffic)},
         .subject = {.nodes = 2}});
    const std::string what = std::string(shoot.manifest) + ' ' + shoot.variant;
    const model::VariantResult& variant = report.variants.at(0);
    ASSERT_EQ(variant.status, VariantStatus::Ok) << what << ": " << variant.reason;
    EXPECT_EQ(variant.byte_path.mismatched, 0) << what;
    for (const model::TrafficResult& traffic : variant.traffic) {
      EXPECT_GT(traffic.goodput_bps, 0) << what << ' ' << traffic.name;
      EXPECT_EQ(traffic.packets.dropped, 0) << what << ' ' << traffic.name;
    }
  }
}

TEST(NodeEnds, AppearAsHostsInATraceWithTheTunnelsAddress) {
  const Folder folder;
  Request asked{
      .paths = {folder.write("s.yaml", testing::scenario_of("shoot-aws-ipip.yaml") +
                                           "  traffic: [{name: a, kind: tcp, from: node}]\n"
                                           "  duration: 2ms\n")}};
  const std::string hash = result_hash(run_or_fail(asked));
  asked.packets = {.flow = "a", .pcap_file = folder.write("x.pcapng", "")};
  const model::RunReport report = run_or_fail(asked);
  EXPECT_EQ(result_hash(report), hash) << "who looks changes nothing";
  const model::FlowTrace& trace = report.traces.at(0);
  EXPECT_THAT(trace.client, HasSubstr("100.96.0.1:")) << "tunl0's";
  const auto syn = testing::lines_of(trace, 1);
  EXPECT_EQ(syn.front().place, "node-1 host");
  EXPECT_EQ(syn.back().place, "node-2 pod");
  const auto answer = std::ranges::find_if(trace.lines, [](const model::TraceLine& line) {
    return line.backward && line.event == "delivered";
  });
  ASSERT_NE(answer, trace.lines.end());
  EXPECT_EQ(answer->place, "node-1 host");
  const auto wire = testing::decoded(asked.packets.pcap_file);
  EXPECT_NE(testing::layer(wire.at(0), capture::LayerKind::Tcp), nullptr);
}

}  // namespace node_ends_test
}  // namespace overlane::runner

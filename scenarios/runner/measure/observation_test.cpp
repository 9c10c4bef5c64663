#include "scenarios/runner/measure/observation.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/observed.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {

namespace observation_test {

using model::TraceLine;
using testing::decoded;
using ::testing::ElementsAre;
using testing::events_of;
using ::testing::HasSubstr;
using testing::layer;
using testing::lines_of;

/// Streams and large datagrams, routed and through VXLAN.
Request request(const testing::Folder& folder) {
  return {.paths = {folder.write(
              "s.yaml", testing::scenario_on_ten_gigabit(folder, "shoot-gcp.yaml") +
                            "  costProfile: linux-server\n  traffic:\n"
                            "  - {name: bulk, kind: tcp, flows: 2}\n"
                            "  - {name: asks, kind: request-response, requestBytes: 100,\n"
                            "     responseBytes: 20000, connections: per-request}\n"
                            "  - {name: large, kind: udp, rate: 50Mbit/s, payloadBytes: 20000}\n"
                            "  duration: 6ms\n  variants:\n"
                            "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                            "  - {name: vxlan, networkConfig: {overlay: {enabled: true},\n"
                            "     vxlan: {enabled: true}}}\n")}};
}

TEST(Observation, TraceFollowsEachPacketFromPodToPod) {
  const testing::Folder folder;
  Request asked = request(folder);
  const std::string hash = result_hash(testing::run_or_fail(asked));
  asked.packets.flow = "bulk/1";
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(result_hash(report), hash) << "who looks changes nothing";
  ASSERT_EQ(report.traces.size(), 2u);
  const model::FlowTrace& trace = report.traces[1];
  EXPECT_EQ(trace.variant, "vxlan");
  EXPECT_EQ(trace.flow, 1);
  EXPECT_THAT(trace.client, HasSubstr("100."));

  std::vector<TraceLine> syn = lines_of(trace, 1);
  for (std::size_t i = 1; i < syn.size(); ++i)
    EXPECT_LE(syn[i].at_ns - syn[i - 1].at_ns - syn[i].waited_ns, 1) << "of rounding";
  // "polled" may be missing if the packet arrived just before its core polled.
  std::erase_if(syn, [](const TraceLine& line) { return line.event == "polled"; });
  EXPECT_THAT(events_of(syn), ElementsAre("sent", "worked-on", "on-wire", "crossed", "received",
                                          "worked-on", "delivered"));
  EXPECT_EQ(syn[0].tcp->flags, "S");
  EXPECT_GT(syn[0].tcp->congestion_window_bytes, 0);
  EXPECT_EQ(syn[0].bytes, 60);
  EXPECT_EQ(syn[0].encapsulation, "none");
  EXPECT_EQ(syn[2].bytes, 60 + 50);
  EXPECT_EQ(syn[2].encapsulation, "vxlan");
  EXPECT_EQ(syn[6].bytes, 60);
  for (std::size_t i = 1; i < trace.lines.size(); ++i)
    ASSERT_LE(trace.lines[i - 1].at_ns, trace.lines[i].at_ns);
  EXPECT_THAT(events_of(lines_of(trace, 0)), ::testing::Contains("read"));
}

TEST(Observation, TruncatedTraceCountsTheOmittedLines) {
  const testing::Folder folder;
  Request asked = request(folder);
  asked.packets = {.flow = "bulk", .trace_limit = 5};
  const model::RunReport report = testing::run_or_fail(asked);
  EXPECT_EQ(report.traces[0].lines.size(), 5u);
  EXPECT_GT(report.traces[0].left_out, 100);
  std::int64_t counted = 0;
  for (const model::TraceLeg& leg : report.traces[0].legs)
    counted += leg.packets;
  EXPECT_EQ(counted, report.traces[0].left_out + 5) << "legs are of all packets";
  EXPECT_EQ(report.findings.back().rule, "packets-left-out");
  EXPECT_EQ(report.findings.back().severity, Severity::Note);
  EXPECT_THAT(report.findings.back().message, ::testing::HasSubstr(" more lines were left out"));
}

struct BadFlow {
  std::string selector;
  std::string why;
};

TEST(Observation, UnknownFlowIsRefusedWithAListOfFlows) {
  const testing::Folder folder;
  const auto prepared = prepare(request(folder));
  ASSERT_TRUE(prepared);
  for (const BadFlow& bad :
       {BadFlow{"bulk/2", "no such flow"}, BadFlow{"web/0", "no such traffic"},
        BadFlow{"bulk/x", "number of a flow"}, BadFlow{"1.2.3.4->5.6.7.8", "no flow goes"},
        BadFlow{"here->there", "not two pods' addresses"}}) {
    Request asked = request(folder);
    asked.packets.flow = bad.selector;
    const auto report = run(*prepared, asked);
    ASSERT_FALSE(report) << bad.selector;
    EXPECT_EQ(report.error().kind, Failure::Kind::Usage);
    const Finding& finding = report.error().findings.at(0);
    EXPECT_THAT(finding.message, HasSubstr(bad.why));
    EXPECT_THAT(finding.hint, HasSubstr("there are bulk/0…1 (100."));
  }
}

TEST(Observation, FlowIsFoundByItsAddresses) {
  const testing::Folder folder;
  const auto prepared = prepare(request(folder));
  ASSERT_TRUE(prepared);
  const run::PodPair& pair = prepared->traffic[0].pairs[0];
  EXPECT_EQ(choose_flow(prepared->traffic, pair.source.address.to_string() + "->" +
                                               pair.destination.address.to_string()),
            (FlowName{"bulk", 0}));
  EXPECT_EQ(choose_flow(prepared->traffic, "bulk/1"), (FlowName{"bulk", 1}));
}

TEST(Observation, FlowIsFoundByItsAddressesInEitherFamily) {
  const testing::Folder folder;
  const std::string file = folder.write(
      "s.yaml",
      testing::scenario_of("shoot-aws-dual-stack.yaml") +
          "  traffic:\n  - {name: few, kind: udp, rate: 1Mbit/s, payloadBytes: 100}\n"
          "  duration: 2ms\n  variants:\n  - {name: four}\n  - {name: six, family: ipv6}\n");
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    Request asked{.paths = {file}};
    const run::PodPair pair = traffic_in(*prepare(asked), family)[0].pairs[0];
    asked.packets.flow =
        pair.source.address.to_string() + "->" + pair.destination.address.to_string();
    const model::RunReport report = testing::run_or_fail(asked);
    ASSERT_EQ(report.traces.size(), 2u) << "the same pods' flow in every variant";
    const std::size_t own = family == Family::Ipv4 ? 0 : 1;
    EXPECT_THAT(report.traces[own].client, HasSubstr(pair.source.address.to_string()));
    EXPECT_EQ(report.traces[own].lines.front().source, pair.source.address);
  }
}

/// Expects, per stream, that every segment begins where an earlier one ended. The acknowledgement
/// number of the receiving core may lag behind that of the application's core.
void expect_whole_streams(const std::vector<capture::DecodedPacket>& packets) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> next;
  std::size_t followed = 0;
  for (const capture::DecodedPacket& packet : packets) {
    const capture::Layer* tcp = layer(packet, capture::LayerKind::Tcp);
    if (tcp == nullptr) continue;
    const auto ports = std::pair(tcp->number("srcport"), tcp->number("dstport"));
    const bool syn = (tcp->number("flags") & 2) != 0;
    const bool fin = (tcp->number("flags") & 1) != 0;
    const auto seq = static_cast<std::uint32_t>(tcp->number("seq"));
    const capture::Layer* payload = layer(packet, capture::LayerKind::Payload);
    if (!syn) {
      ASSERT_TRUE(next.contains(ports));
      if (payload == nullptr && !fin && seq < next[ports]) continue;
      EXPECT_EQ(seq, next[ports]) << packet.number;
      ++followed;
    }
    next[ports] = seq + static_cast<std::uint32_t>(payload == nullptr ? 0 : payload->bytes) +
                  (syn || fin ? 1 : 0);
  }
  EXPECT_GT(followed, 100u);
}

TEST(Observation, CaptureWithTunnelsDecodesWithoutErrors) {
  const testing::Folder folder;
  Request asked = request(folder);
  asked.packets = {.pcap_file = folder.write("x.pcapng", ""), .pcap_limit = 2'000};
  const std::string hash = result_hash(testing::run_or_fail(request(folder)));
  EXPECT_EQ(result_hash(testing::run_or_fail(asked)), hash);
  const auto routed = decoded(file_for(asked.packets.pcap_file, "routed"));
  const auto vxlan = decoded(file_for(asked.packets.pcap_file, "vxlan"));
  expect_whole_streams(routed);
  expect_whole_streams(vxlan);
  EXPECT_EQ(layer(routed[0], capture::LayerKind::Vxlan), nullptr);
  ASSERT_NE(layer(vxlan[0], capture::LayerKind::Vxlan), nullptr);
  EXPECT_EQ(vxlan[0].length_bytes, routed[0].length_bytes + 50);
  const auto is_fragment = [](const capture::DecodedPacket& packet) {
    const capture::Layer* ip = layer(packet, capture::LayerKind::Ipv4);
    return ip != nullptr && ip->number("frag_offset") > 0;
  };
  EXPECT_TRUE(std::ranges::any_of(routed, is_fragment));
}

TEST(Observation, CaptureAtThePodHasBothDirectionsWithoutTunnels) {
  const testing::Folder folder;
  Request asked = request(folder);
  asked.packets = {.flow = "bulk/0",
                   .pcap_file = folder.write("x.pcapng", ""),
                   .pcap_place = CapturePlace::Pod,
                   .pcap_limit = 500};
  testing::run_or_fail(asked);
  const auto vxlan = decoded(file_for(asked.packets.pcap_file, "vxlan"));
  expect_whole_streams(vxlan);
  std::set<std::uint64_t> ports;
  for (const capture::DecodedPacket& packet : vxlan) {
    EXPECT_EQ(layer(packet, capture::LayerKind::Vxlan), nullptr);
    ports.insert(layer(packet, capture::LayerKind::Tcp)->number("srcport"));
  }
  EXPECT_EQ(ports.size(), 2u) << "one flow, both ways";
}

TEST(Observation, FileThatCannotBeCreatedIsReportedBeforeTheRun) {
  const testing::Folder folder;
  const auto prepared = prepare(request(folder));
  ASSERT_TRUE(prepared);
  Request asked = request(folder);
  asked.packets.pcap_file = "/nowhere/x.pcapng";
  const auto report = run(*prepared, asked);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Failure::Kind::NotWritten);
  EXPECT_THAT(report.error().findings.at(0).to_string(), HasSubstr("/nowhere/x-routed.pcapng"));
}

TEST(Observation, VariantsHaveSeparateFiles) {
  EXPECT_EQ(file_for("run.pcapng", "ipip"), "run-ipip.pcapng");
  EXPECT_EQ(file_for("out/run", "a/b, c"), "out/run-a-b--c");
}

}  // namespace observation_test

}  // namespace overlane::runner

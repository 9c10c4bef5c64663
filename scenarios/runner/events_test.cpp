#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace events_test {

using ::testing::Contains;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kIntervals = 20;  // Each interval takes 5 ms.
constexpr std::size_t kBegin = 8;
constexpr std::size_t kEnd = 12;

/// A run with datagrams of 800 bytes of payload every 200 µs from node-1 to node-2, for 100 ms,
/// with these events.
Request request(const Folder& folder, const std::string& config, const std::string& events,
                const std::string& vpc = "") {
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
               "  vpcs: [{name: v, zones: [z], mtu: 1500, latency: {withinZone: 20us}" +
                   vpc +
                   "}]\n"
                   "  shoots: [{manifest: " +
                   testing::manifest("shoot-aws.yaml") + ", nodes: 2}]\n");
  return {.paths = {folder.write(
              "s.yaml",
              "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
              "  topology: topology.yaml\n"
              "  traffic: [{name: a, kind: udp, rate: 32Mbit/s, payloadBytes: 800}]\n"
              "  variants: [{name: v, networkConfig: {" +
                  config + "}}]\n  duration: 100ms\n  warmup: 0s\n" +
                  (events.empty() ? "" : "  events:\n  - {" + events + "}\n"))},
          .series = SeriesRequest{.interval = milliseconds(5)}};
}

model::RunReport run_with(const std::string& config, const std::string& events) {
  const Folder folder;
  return testing::run_or_fail(request(folder, config, events));
}

constexpr const char* kRouted = "overlay: {enabled: false}";
constexpr const char* kIpip = "overlay: {enabled: true}";
constexpr const char* kDuring = "at: 40ms, for: 20ms, what: ";

struct Row {
  const char* what;
  const char* config;
  const char* event;
  Drop drop;
};

std::string reasons(const model::TrafficSeries& series) {
  std::string names;
  for (const auto& [drop, counts] : series.drops)
    names += std::string(facts(drop).name) + " ";
  return names;
}

class EventRow : public ::testing::TestWithParam<Row> {};

/// The packets that depend on the event are lost from its first interval to its last. All other
/// intervals are as without the event.
TEST_P(EventRow, StopsThePacketsThatDependOnItWhileItLasts) {
  const Row& row = GetParam();
  const model::RunReport calm = run_with(row.config, "");
  const model::RunReport report = run_with(row.config, std::string(kDuring) + row.event);
  EXPECT_THAT(report.findings, IsEmpty());
  const model::TrafficSeries& without = calm.variants[0].series.at(0).traffic.at(0);
  const model::TrafficSeries& with = report.variants[0].series.at(0).traffic.at(0);
  ASSERT_EQ(with.goodput_bps.size(), kIntervals);
  for (std::size_t i = 0; i < kIntervals; ++i) {
    const bool is_during = kBegin <= i && i < kEnd;
    // A datagram that is on its way when the event begins or ends may arrive or not.
    const std::int64_t at_edges = i == kBegin || i == kEnd ? 800 * 8 * 200 : 0;
    EXPECT_LE(std::abs(with.goodput_bps[i] - (is_during ? 0 : without.goodput_bps[i])), at_edges)
        << "interval " << i;
    ASSERT_TRUE(with.drops.contains(row.drop)) << reasons(with);
    EXPECT_EQ(is_during, with.drops.at(row.drop)[i] > 0) << "interval " << i;
  }
  const model::Interruptions& interruptions = *report.variants[0].traffic[0].interruptions;
  EXPECT_EQ(interruptions.flows, 1);
  EXPECT_EQ(interruptions.interrupted, 1);
  EXPECT_EQ(interruptions.not_resumed, 0);
  EXPECT_NEAR(static_cast<double>(interruptions.longest_ns.max()), 20e6, 0.5e6);
}

const Row kRows[] = {
    {"cloud route", kRouted, "remove-cloud-route, node: node-2", Drop::FabricNoRoute},
    {"route", kIpip, "remove-route, node: node-1, destination: 100.96.1.0/24", Drop::FabricNoRoute},
    {"route past the tunnel", kIpip,
     "add-route, node: node-1, destination: 100.96.1.0/24, device: eth0", Drop::NoNeighbour},
    {"device down", kRouted, "change-device, node: node-2, device: eth0, up: false",
     Drop::DeviceDown},
    {"device too small to receive", kRouted, "change-device, node: node-2, device: eth0, mtu: 700",
     Drop::ReceiveMtuExceeded},
    {"black hole", kIpip, "add-route, type: blackhole, node: node-1, destination: 100.96.1.0/24",
     Drop::BlackholeRoute},
    {"unreachable", kIpip, "add-route, type: unreachable, node: node-1, destination: 100.96.1.0/24",
     Drop::UnreachableRoute},
    {"prohibited", kIpip, "add-route, type: prohibit, node: node-1, destination: 100.96.1.0/24",
     Drop::ProhibitRoute},
    {"local route", kIpip, "add-route, type: local, node: node-1, destination: 100.96.1.0/24",
     Drop::NoSocket},
    {"source check", kRouted, "change-instance, node: node-1, sourceDestinationCheck: true",
     Drop::FabricSourceCheck},
    {"destination check", kRouted, "change-instance, node: node-2, sourceDestinationCheck: true",
     Drop::FabricDestinationCheck},
    {"tunnel", kIpip, "remove-device, node: node-2, device: tunl0", Drop::TunnelUnknown},
    {"path MTU", kRouted, "change-fabric, pathMtu: {withinZone: 700, tooBig: silent}",
     Drop::FabricMtuExceeded},
    {"sysctl", kRouted, "change-sysctl, node: node-2, sysctl: net.ipv4.ip_forward, value: 0",
     Drop::NotLocal},
    {"node", kIpip, "remove-node, node: node-2", Drop::NodeGone},
    {"pods", kIpip, "restart-pods, node: node-2", Drop::BlackholeRoute},
    {"fabric", kIpip, "change-fabric, deny: [{protocol: ipip}]", Drop::FabricPacketFilter},
};

INSTANTIATE_TEST_SUITE_P(Events, EventRow, ::testing::ValuesIn(kRows));

TEST(Events, ThatChangeNothingLeaveEveryFigureAndAreNoted) {
  for (const auto& [config, event] :
       {std::pair{kIpip, "remove-cloud-route, node: node-2"},
        std::pair{kRouted, "remove-device, device: tunl0"},
        std::pair{kRouted, "change-sysctl, sysctl: net.ipv4.ip_forward, value: 1"}}) {
    model::RunReport report = run_with(config, std::string(kDuring) + event);
    ASSERT_EQ(report.findings.size(), 1u) << event;
    EXPECT_EQ(report.findings[0].rule, "event-without-effect");
    EXPECT_EQ(report.findings[0].severity, Severity::Note);
    EXPECT_EQ(report.findings[0].place.line, 11);
    EXPECT_EQ(report.variants[0].traffic[0].interruptions->interrupted, 0);
    report.variants[0].traffic[0].interruptions.reset();
    EXPECT_EQ(model::result_hash(report), model::result_hash(run_with(config, ""))) << event;
  }
}

TEST(Events, StayWhereTheyAreNotUndone) {
  const model::RunReport report =
      run_with(kRouted, "at: 40ms, what: remove-cloud-route, node: node-2");
  const model::Interruptions& interruptions = *report.variants[0].traffic[0].interruptions;
  EXPECT_EQ(interruptions.not_resumed, 1);
  EXPECT_NEAR(static_cast<double>(interruptions.longest_ns.max()), 60e6, 0.5e6);
  ASSERT_EQ(report.events.size(), 1u);
  EXPECT_EQ(report.events[0].at_ns, 40'000'000);
  EXPECT_FALSE(report.events[0].until_ns);
}

TEST(Events, AnAddedCloudRouteEndsAnInterruption) {
  const model::RunReport report = run_with(
      kRouted,
      "at: 20ms, what: remove-cloud-route, node: node-2}\n  - {at: 60ms, what: add-cloud-route, "
      "node: node-2");
  const model::Interruptions& interruptions = *report.variants[0].traffic[0].interruptions;
  EXPECT_EQ(interruptions.interrupted, 1);
  EXPECT_EQ(interruptions.not_resumed, 0);
  EXPECT_NEAR(static_cast<double>(interruptions.longest_ns.max()), 40e6, 0.5e6);
}

TEST(Events, ARestartedAgentMakesAgainWhatIsMissing) {
  for (const char* fault :
       {"remove-device, node: node-2, device: tunl0", "remove-route, destination: 100.96.1.0/24"}) {
    const model::RunReport report = run_with(
        kIpip, std::string("at: 20ms, what: ") + fault + "}\n  - {at: 60ms, what: restart-agent");
    const model::Interruptions& interruptions = *report.variants[0].traffic[0].interruptions;
    EXPECT_EQ(interruptions.interrupted, 1) << fault;
    EXPECT_EQ(interruptions.not_resumed, 0) << fault;
    EXPECT_NEAR(static_cast<double>(interruptions.longest_ns.max()), 40e6, 0.5e6);
  }
}

TEST(Events, AnUplinkThatShrinksLosesTheSegmentsThatNoLongerComeIn) {
  const Folder folder;
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
               "  vpcs: [{name: v, provider: aws, zones: [z], mtu: 9000}]\n"
               "  shoots: [{manifest: " +
                   testing::manifest("shoot-aws.yaml") + ", nodes: 2}]\n");
  const std::string file = folder.write(
      "s.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
      "  topology: topology.yaml\n"
      "  traffic: [{name: a, kind: request-response, requestBytes: 100, responseBytes: 20000, "
      "thinkTime: 1ms}]\n"
      "  variants: [{name: v, networkConfig: {overlay: {enabled: true}}}]\n"
      "  duration: 200ms\n  warmup: 0s\n"
      "  events: [{at: 50ms, what: change-device, node: node-1, device: eth0, mtu: 1500}]\n");
  const model::RunReport report = testing::run_or_fail({.paths = {file}});
  const model::TrafficResult& traffic = report.variants[0].traffic[0];
  EXPECT_GT(traffic.drops[Drop::ReceiveMtuExceeded], 0) << "responses of full segments";
  EXPECT_EQ(traffic.interruptions->not_resumed, 1);
  EXPECT_EQ(report.variants[0].byte_path.mismatched, 0);
}

TEST(Events, ARouteOfAnotherOwnerAttractsThePacketsThatItCovers) {
  const auto reason_with = [](const std::string& destination) {
    const Folder folder;
    return testing::run_or_fail(request(folder, kRouted, "",
                                        ", foreignRoutes: [{destination: " + destination + "}]"))
        .variants[0]
        .reason;
  };
  EXPECT_EQ(reason_with("100.96.0.0/16"), "") << "the nodes' routes are longer";
  EXPECT_THAT(reason_with("100.96.1.0/25"), HasSubstr("fabric-foreign-instance"));
}

/// The lines of all steps of a run with these events.
std::vector<std::string> steps_of(const std::string& config, const std::string& events) {
  const Folder folder;
  Request asked = request(folder, config, events);
  asked.show_steps = true;
  const model::RunReport report = testing::run_or_fail(asked);
  std::vector<std::string> lines;
  for (const model::Step& step : report.variants[0].steps)
    lines.insert(lines.end(), step.lines.begin(), step.lines.end());
  return lines;
}

TEST(Events, ARestartedAgentDetectsTheLinkMtuAgainForWhatItMakesFromThenOn) {
  const std::string larger = "at: 20ms, what: change-device, node: node-2, device: eth0, mtu: 3900";
  const std::string restart = "}\n  - {at: 40ms, what: restart-agent, node: node-2";
  const std::string pods = "}\n  - {at: 60ms, what: restart-pods, node: node-2";
  EXPECT_THAT(steps_of(kIpip, larger + pods), Not(Contains(HasSubstr("veth mtu 3880"))));
  const auto ipip = steps_of(kIpip, larger + restart + pods);
  EXPECT_THAT(ipip, Contains("node-2 makes pods for link MTU 3900 from now on"));
  EXPECT_THAT(ipip, Contains(HasSubstr("tunl0: ipip mtu 3880")));
  EXPECT_THAT(ipip, Contains(HasSubstr("veth mtu 3880")));
  EXPECT_THAT(steps_of(kRouted, larger + restart + pods), Contains(HasSubstr("veth mtu 3900")));
  EXPECT_THAT(steps_of("overlay: {enabled: true}, vethMTU: '1440'", larger + restart + pods),
              Not(Contains(HasSubstr("veth mtu 3"))))
      << "what the NetworkConfig says is not detected";
}

TEST(Events, AnAgentThatDetectsAnotherMtuHasAnEffectAndOneThatDetectsTheSameHasNone) {
  const model::RunReport same = run_with(kRouted, "at: 20ms, what: restart-agent");
  ASSERT_EQ(same.findings.size(), 1u);
  EXPECT_EQ(same.findings[0].rule, "event-without-effect");
  EXPECT_THAT(run_with(kRouted,
                       "at: 20ms, what: change-device, device: eth0, mtu: 3900}\n  - {at: 40ms, "
                       "what: restart-agent}\n  - {at: 60ms, what: restart-pods")
                  .findings,
              IsEmpty());
}

TEST(Events, APodThatMovesGetsTheFirstFreeAddressThere) {
  const model::RunReport report =
      run_with(kIpip, "at: 20ms, for: 10ms, what: restart-pods, node: node-2, to: node-1");
  const model::TrafficResult& traffic = report.variants[0].traffic[0];
  EXPECT_EQ(traffic.interruptions->not_resumed, 0);
  EXPECT_NEAR(static_cast<double>(traffic.interruptions->longest_ns.max()), 10e6, 0.5e6);
  EXPECT_EQ(report.events[0].what, "restart-pods node-2 to node-1");
}

TEST(Events, PodsThatMoveToOneNodeGetAddressesOfTheirOwn) {
  const Folder folder;
  Request asked = request(folder, kRouted, "at: 20ms, what: restart-pods, to: node-1");
  asked.show_steps = true;
  const std::vector<std::string> lines = testing::run_or_fail(asked).variants[0].steps.at(0).lines;
  std::set<std::string> addresses;
  for (const std::string& line : lines)
    if (const auto at = line.find("made again as "); at != std::string::npos)
      addresses.insert(line.substr(at));
  EXPECT_EQ(addresses.size(), 4u) << "two of each node";
}

TEST(Events, ANodeWhosePodsHaveMovedTakesOthers) {
  const model::RunReport report =
      run_with(kRouted,
               "at: 20ms, what: restart-pods, node: node-2, to: node-1}\n  - {at: 40ms, what: "
               "restart-pods, node: node-1, to: node-2");
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.variants[0].traffic[0].interruptions->not_resumed, 0);
}

TEST(Events, ANodeThatIsAddedIsNotThereBefore) {
  const model::RunReport report = run_with(kIpip, "at: 60ms, what: add-node, node: node-2");
  const model::TrafficSeries& series = report.variants[0].series.at(0).traffic.at(0);
  for (std::size_t i = 0; i < kIntervals; ++i)
    EXPECT_EQ(series.goodput_bps[i] > 0, i >= 12) << "interval " << i;
  EXPECT_EQ(report.variants[0].traffic[0].packets.dropped, 0);
}

TEST(Events, ShowWhatTheyChangeIfAsked) {
  const Folder folder;
  Request asked = request(folder, kRouted,
                          "at: 20ms, for: 20ms, what: remove-cloud-route, node: node-2}\n  - {at: "
                          "60ms, what: remove-device, node: node-1, device: tunl0}\n  - {at: 70ms, "
                          "for: 10ms, what: remove-node, node: node-2");
  EXPECT_THAT(testing::run_or_fail(asked).variants[0].steps, IsEmpty());
  asked.show_steps = true;
  const std::vector<model::Step> steps = testing::run_or_fail(asked).variants[0].steps;
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[0].what, "remove-cloud-route node-2");
  ASSERT_EQ(steps[0].lines.size(), 1u);
  EXPECT_THAT(steps[0].lines[0], HasSubstr("vpc - table routes-z: 100.96.1.0/24 -> node-2"));
  EXPECT_EQ(steps[1].what, "end of remove-cloud-route node-2");
  EXPECT_EQ(steps[1].at_ns, 40'000'000);
  EXPECT_THAT(steps[1].lines[0], HasSubstr("vpc + table routes-z: 100.96.1.0/24 -> node-2"));
  EXPECT_THAT(steps[2].lines, IsEmpty()) << "there is no tunnel";
  EXPECT_THAT(steps[3].lines, ::testing::ElementsAre("node-2 stops"));
  EXPECT_THAT(steps[4].lines, ::testing::ElementsAre("node-2 starts"));
}

TEST(Events, ThatLeaveNoNodeAreRefused) {
  for (const char* events :
       {"at: 20ms, what: remove-node, node: node-1}\n  - {at: 30ms, what: remove-node, node: "
        "node-2",
        "at: 20ms, what: add-node, node: node-1}\n  - {at: 20ms, what: add-node, node: node-2"}) {
    const Folder folder;
    const auto prepared = prepare(request(folder, kIpip, events));
    ASSERT_FALSE(prepared) << events;
    EXPECT_EQ(prepared.error().findings.front().rule, "no-node-left");
  }
}

TEST(Events, OfDifferentSysctlsMayOverlap) {
  const model::RunReport report = run_with(
      kRouted,
      "at: 20ms, for: 20ms, what: change-sysctl, sysctl: net.ipv4.ip_forward, value: 0}\n  - {at: "
      "30ms, for: 20ms, what: change-sysctl, sysctl: net.ipv4.conf.all.rp_filter, value: 2");
  const model::Interruptions& interruptions = *report.variants[0].traffic[0].interruptions;
  EXPECT_EQ(interruptions.not_resumed, 0);
  EXPECT_NEAR(static_cast<double>(interruptions.longest_ns.max()), 20e6, 0.5e6);
}

TEST(Events, ThatNameOneCloudRouteInTwoWaysContradict) {
  const Folder folder;
  const auto prepared = prepare(
      request(folder, kRouted,
              "at: 20ms, for: 20ms, what: remove-cloud-route, node: node-2}\n  - {at: 30ms, what: "
              "add-cloud-route, node: node-1, destination: 100.96.1.0/24"));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().findings.front().rule, "contradictory-events");
  EXPECT_EQ(prepared.error().findings.front().place.line, 12);
}

TEST(Events, WhoseUndoTheCloudRefusesAreWarnings) {
  const Folder folder;
  const model::RunReport report = testing::run_or_fail(
      request(folder, kRouted,
              "at: 20ms, for: 20ms, what: remove-cloud-route, node: node-2}\n  - {at: 30ms, what: "
              "add-cloud-route, node: node-1, destination: 172.17.0.0/16",
              ", routeQuota: 4"));
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].rule, "event-refused");
  EXPECT_EQ(report.findings[0].place.line, 11);
  EXPECT_EQ(report.variants[0].traffic[0].interruptions->not_resumed, 1);
}

TEST(Events, ThatARunDoesNotReachInterruptNothing) {
  const Folder folder;
  Request asked = request(folder, kRouted, "at: 90ms, what: remove-cloud-route, node: node-2");
  asked.max_events = 500;
  EXPECT_FALSE(testing::run_or_fail(asked).variants[0].traffic[0].interruptions);
}

TEST(Events, ThatTheCloudRefusesAreWarnings) {
  const Folder folder;
  const model::RunReport report = testing::run_or_fail(request(
      folder, kRouted, "at: 40ms, what: add-cloud-route, node: node-2, destination: 10.0.0.0/25",
      ", routeQuota: 4"));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].rule, "event-refused");
  EXPECT_EQ(report.variants[0].traffic[0].interruptions->interrupted, 0);
}

TEST(Events, OnUnknownNodesAreRefusedBeforeTheRun) {
  const Folder folder;
  const auto prepared =
      prepare(request(folder, kRouted, "at: 40ms, what: remove-cloud-route, node: node-3"));
  ASSERT_FALSE(prepared);
  const Finding& finding = prepared.error().findings.front();
  EXPECT_EQ(finding.rule, "unknown-node");
  EXPECT_THAT(finding.to_string(), HasSubstr("s.yaml:11:5: error: "));
  EXPECT_THAT(finding.hint, HasSubstr("node-1 to node-2"));
}

}  // namespace events_test
}  // namespace overlane::runner

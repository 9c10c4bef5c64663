#include "scenarios/spec/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/spec/scenario.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::spec {
namespace events_test {

using ::testing::HasSubstr;

/// A scenario of 100 ms with these events; the first event is in line 9.
Result<Scenario, Findings> decode(const std::string& events) {
  const document::Stream stream = document::parse(
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: test}\nspec:\n"
      "  topology: t.yaml\n  duration: 100ms\n"
      "  traffic: [{name: a, kind: tcp}]\n  events:\n" +
          events,
      "s.yaml");
  return decode_scenario(stream.documents.at(0));
}

TEST(Events, ReadsEveryKind) {
  const auto scenario = decode(
      "  - {at: 1ms, for: 2ms, what: remove-cloud-route, node: node-2}\n"
      "  - {at: 3ms, what: add-cloud-route, node: node-2, destination: 10.0.0.0/24}\n"
      "  - {at: 2ms, what: remove-route, destination: 100.96.1.0/24}\n"
      "  - {at: 2ms, what: add-route, node: node-1, destination: 'fd00::/64', device: eth0, via: "
      "'fd00::1'}\n"
      "  - {at: 0s, what: change-device, node: node-1, device: eth0, mtu: 1500, up: false}\n"
      "  - {at: 2ms, what: remove-device, device: tunl0}\n"
      "  - {at: 2ms, what: change-sysctl, sysctl: net.ipv4.conf.all.rp_filter, value: 2}\n"
      "  - {at: 2ms, what: change-fabric, pathMtu: {withinZone: 1400}, deny: [{protocol: "
      "ipip}]}\n"
      "  - {at: 2ms, what: remove-filter, node: node-1}\n"
      "  - {at: 3ms, what: restart-agent}\n"
      "  - {at: 4ms, for: 5ms, what: remove-node, node: node-1}\n"
      "  - {at: 4ms, what: add-node, node: node-3}\n"
      "  - {at: 4ms, what: restart-pods, node: node-2, to: node-4, mtu: 1430}\n"
      "  - {at: 5ms, what: add-route, type: local, destination: 100.96.7.0/24}\n"
      "  - {at: 5ms, what: add-route, type: prohibit, node: node-1, destination: 100.96.8.0/24}\n"
      "  - {at: 5ms, what: change-instance, node: node-1, sourceDestinationCheck: true}\n");
  ASSERT_TRUE(scenario) << scenario.error().front().to_string();
  std::vector<std::string> texts;
  for (const Event& event : scenario->events)
    texts.push_back(event.to_string());
  EXPECT_THAT(
      texts,
      ::testing::ElementsAre(
          "remove-cloud-route node-2", "add-cloud-route 10.0.0.0/24 node-2",
          "remove-route 100.96.1.0/24 all nodes", "add-route fd00::/64 eth0 via fd00::1 node-1",
          "change-device eth0 mtu 1500 down node-1", "remove-device tunl0 all nodes",
          "change-sysctl net.ipv4.conf.all.rp_filter=2 all nodes", "change-fabric pathMtu deny",
          "remove-filter node-1", "restart-agent all nodes", "remove-node node-1",
          "add-node node-3", "restart-pods mtu 1430 node-2 to node-4",
          "add-route local 100.96.7.0/24 all nodes", "add-route prohibit 100.96.8.0/24 node-1",
          "change-instance source/destination check on node-1"));
  EXPECT_EQ(scenario->events[0].at, milliseconds(1));
  EXPECT_EQ(scenario->events[0].lasts, milliseconds(2));
  EXPECT_EQ(scenario->events[0].place.line, 9);
  EXPECT_EQ(scenario->events[6].value, 2);
  EXPECT_EQ(scenario->events[7].fabric.denied->size(), 1u);
}

TEST(Events, RefusesWhatCannotHappen) {
  struct Row {
    const char* events;
    const char* rule;
    const char* message;
    int line = 9;
  };
  constexpr const char* kRoute = "  - {at: 1ms, for: 9ms, what: remove-cloud-route, node: a}\n";
  const std::string twice = std::string(kRoute) + "  - {at: 1ms, what: add-cloud-route, node: a}\n";
  const std::string within =
      std::string(kRoute) + "  - {at: 9ms, what: remove-cloud-route, node: a}\n";
  const std::string every_node =
      "  - {at: 1ms, what: remove-device, device: eth0}\n"
      "  - {at: 1ms, what: change-device, node: a, device: eth0, up: "
      "true}\n";
  for (const Row& row : {
           Row{"  - {what: remove-cloud-route, node: a}\n", "missing-key", "at"},
           Row{"  - {at: 1ms}\n", "missing-key", "what"},
           Row{"  - {at: 1ms, what: remove-all, node: a}\n", "bad-value", "remove-all"},
           Row{"  - {at: 1ms, what: remove-node}\n", "missing-key", "node"},
           Row{"  - {at: 1ms, for: 1ms, what: restart-agent, node: a}\n", "bad-value", "undone"},
           Row{"  - {at: 1ms, for: 9ms, what: remove-node, node: a}\n"
               "  - {at: 5ms, what: restart-pods, node: a}\n",
               "contradictory-events", "remove-node a in line 9", 10},
           Row{"  - {at: 100ms, what: remove-cloud-route, node: a}\n", "out-of-range", "beyond"},
           Row{"  - {at: 99ms, for: 1ms, what: remove-cloud-route, node: a}\n", "out-of-range",
               "beyond"},
           Row{"  - {at: 1ms, what: remove-cloud-route}\n", "incomplete", "by a node or"},
           Row{"  - {at: 1ms, what: remove-cloud-route, node: a, destination: 10.0.0.0/8}\n",
               "incomplete", "by a node or"},
           Row{"  - {at: 1ms, what: remove-cloud-route, destination: null}\n", "incomplete",
               "by a node or"},
           Row{"  - {at: 1ms, what: add-route, destination: '::/0', device: eth0, via: 10.0.0.1}\n",
               "bad-value", "family"},
           Row{"  - {at: 1ms, what: add-cloud-route, destination: 10.0.0.0/8}\n", "missing-key",
               "node"},
           Row{"  - {at: 1ms, what: remove-route, destination: 10.0.0.300/8}\n", "bad-value",
               "10.0.0.300/8"},
           Row{"  - {at: 1ms, what: change-device, device: eth0}\n", "incomplete", "neither"},
           Row{"  - {at: 1ms, what: change-device, device: a-name-of-sixteen, up: true}\n",
               "bad-value", "longer"},
           Row{"  - {at: 1ms, what: change-sysctl, sysctl: vm.swappiness, value: 1}\n", "bad-value",
               "vm.swappiness"},
           Row{"  - {at: 1ms, what: change-sysctl, sysctl: net.ipv4.ip_forward, value: 2}\n",
               "out-of-range", "2"},
           Row{"  - {at: 1ms, what: add-route, type: local, destination: 10.0.0.0/8, device: "
               "eth0}\n",
               "bad-value", "type local has no device"},
           Row{"  - {at: 1ms, what: add-route, destination: 10.0.0.0/8}\n", "incomplete",
               "no device"},
           Row{"  - {at: 1ms, what: add-route, type: throw, destination: 10.0.0.0/8}\n",
               "bad-value", "throw"},
           Row{"  - {at: 1ms, what: change-instance, node: a}\n", "missing-key",
               "sourceDestinationCheck"},
           Row{"  - {at: 1ms, for: 9ms, what: change-instance, node: a, sourceDestinationCheck: "
               "true}\n"
               "  - {at: 5ms, what: change-instance, node: a, sourceDestinationCheck: false}\n",
               "contradictory-events", "in line 9", 10},
           Row{"  - {at: 1ms, what: change-fabric}\n", "incomplete", "nothing"},
           Row{"  - {at: 1ms, what: change-fabric, deny: [], node: a}\n", "unknown-key", "node"},
           Row{twice.c_str(), "contradictory-events", "in line 9", 10},
           Row{within.c_str(), "contradictory-events", "in line 9", 10},
           Row{every_node.c_str(), "contradictory-events", "in line 9", 10},
       }) {
    const auto scenario = decode(row.events);
    ASSERT_FALSE(scenario) << row.events;
    const Finding& finding = scenario.error().front();
    EXPECT_EQ(finding.rule, row.rule) << row.events << finding.message;
    EXPECT_THAT(finding.message, HasSubstr(row.message)) << row.events;
    EXPECT_EQ(finding.place.line, row.line) << row.events;
  }
}

TEST(Events, MayFollowEachOther) {
  EXPECT_TRUE(
      decode("  - {at: 1ms, for: 9ms, what: remove-cloud-route, node: a}\n"
             "  - {at: 10ms, what: remove-cloud-route, node: a}\n"
             "  - {at: 1ms, what: remove-cloud-route, node: b}\n"
             "  - {at: 1ms, what: remove-device, node: a, device: eth0}\n"
             "  - {at: 1ms, what: remove-device, node: b, device: eth0}\n"));
}

}  // namespace events_test
}  // namespace overlane::spec

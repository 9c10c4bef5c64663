#include "scenarios/migration/outages/other_traffic.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::migration {

namespace other_traffic_test {

Outage outage(std::uint32_t from, std::uint32_t to, int begin, std::optional<int> end) {
  return {.from = from,
          .to = to,
          .begin = seconds(begin),
          .end = end ? std::optional(seconds(*end)) : std::nullopt,
          .reason = {}};
}

struct Seen {
  std::vector<Outage> pod_to_pod;
  std::vector<Outage> node_to_pod;
  std::vector<Outage> pod_to_node;
  std::vector<Outage> unmasqueraded;

  TrafficResult of(std::string_view name, std::uint32_t nodes = 4) const {
    const auto all = other_traffic({pod_to_pod, node_to_pod, pod_to_node, unmasqueraded, {}, {}},
                                   Presence(nodes, Interval{{}, kNever}));
    return *std::ranges::find(all, name, &TrafficResult::name);
  }
};

TEST(OtherTraffic, DnsFailsWholeOnlyWhileBothPodsCannotBeReached) {
  // CoreDNS runs on nodes 0 and 3.
  const Seen seen{.pod_to_pod = {outage(1, 0, 10, 20), outage(3, 1, 15, 40), outage(2, 0, 0, 5)}};
  const TrafficResult whole = seen.of("all DNS queries");
  EXPECT_EQ(whole.affected, 1u);
  EXPECT_EQ(whole.longest, seconds(5)) << "from 15 to 20 s";
  const TrafficResult part = seen.of("some DNS queries");
  EXPECT_EQ(part.affected, 2u) << "nodes 1 and 2";
  EXPECT_EQ(part.longest, seconds(30)) << "of node 1, from 10 to 40 s";
}

TEST(OtherTraffic, QueriesNeedBothDirectionsToADnsPod) {
  const auto outages = dns_outages({outage(1, 0, 10, 20), outage(0, 1, 15, 40), outage(1, 2, 0, 5),
                                    outage(2, 3, 1, {}), outage(0, 3, 2, 3)},
                                   Presence(4, Interval{{}, kNever}));
  std::vector<std::string> lines;
  for (const Outage& one : outages)
    lines.push_back(fmt::format("{} to {}: {} to {}", one.from, one.to,
                                one.begin.count / seconds(1).count,
                                one.end ? one.end->count / seconds(1).count : -1));
  EXPECT_THAT(lines, ::testing::ElementsAre("0 to 3: 2 to 3", "1 to 0: 10 to 40", "2 to 3: 1 to -1",
                                            "3 to 0: 2 to 3"))
      << "CoreDNS runs on nodes 0 and 3";
}

TEST(OtherTraffic, ARequestAndItsAnswerCountOnce) {
  const Seen seen{.node_to_pod = {outage(1, 2, 0, 3), outage(1, 2, 3, 4), outage(2, 1, 0, {})}};
  const TrafficResult result = seen.of("node to pod");
  EXPECT_EQ(result.pairs, 6u) << "both directions of two nodes are one pair";
  EXPECT_EQ(result.affected, 1u);
  EXPECT_EQ(result.lasting, 1u);
  EXPECT_EQ(result.longest, seconds(4));
}

TEST(OtherTraffic, OneKindOfPairIsCountedEverywhere) {
  std::vector<EndedConnection> ended;
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to)
      if (from != to) ended.push_back({from, to, seconds(1)});
  const Presence presence(4, Interval{{}, kNever});
  for (const TrafficResult& one : other_traffic({{}, {}, {}, {}, {}, ended}, presence)) {
    const bool is_by_node = one.impact == Impact::Dns || one.impact == Impact::UpstreamDns ||
                            one.impact == Impact::ApiServer;
    EXPECT_EQ(one.unit, is_by_node ? "node" : "pair") << one.name;
    // Packets of the API server begin at the node of vpn-shoot.
    const std::uint64_t nodes = one.impact == Impact::ApiServer ? 3 : 4;
    EXPECT_EQ(one.pairs, is_by_node ? nodes : 6u) << one.name;
    EXPECT_EQ(one.affected, one.ends ? 6u : 0u) << one.name;
  }
  const Seen lasting{.node_to_pod = {outage(1, 2, 0, {}), outage(2, 1, 0, {})}};
  EXPECT_EQ(lasting.of("node to pod").lasting, 1u);
}

TEST(OtherTraffic, TheApiServerEntersByTheFirstNode) {
  const Seen seen{.pod_to_pod = {outage(0, 1, 0, 2), outage(1, 2, 0, 9)},
                  .pod_to_node = {outage(0, 3, 0, 4), outage(3, 0, 0, 9)}};
  EXPECT_EQ(seen.of("API server to webhooks").affected, 1u);
  EXPECT_EQ(seen.of("API server to webhooks").longest, seconds(2));
  EXPECT_EQ(seen.of("API server to kubelets").affected, 1u);
  EXPECT_EQ(seen.of("API server to kubelets").longest, seconds(4));
}

TEST(OtherTraffic, QueriesToUpstreamDnsPossiblyFail) {
  const Seen seen{.unmasqueraded = {outage(1, 1, 0, 7)}};
  EXPECT_TRUE(seen.of("upstream DNS").is_possible_only);
  EXPECT_EQ(seen.of("upstream DNS").affected, 1u);
}

}  // namespace other_traffic_test

}  // namespace overlane::migration

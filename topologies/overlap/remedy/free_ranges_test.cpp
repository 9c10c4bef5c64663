#include "topologies/overlap/remedy/free_ranges.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace wanted_test {

using ::testing::HasSubstr;

struct Row {
  const char* because;
  Wanted wanted;
  const char* flaw;  ///< Empty: a shoot can have such pods.
};

IpPrefix range(const char* text) {
  return IpPrefix::parse(text).value();
}

const Row kRows[] = {
    {"Gardener's usual one", {}, ""},
    {"one node", {.length = 24}, ""},
    {"less than one node", {.length = 25}, "pods of /25 are too few for 1 node of /24"},
    {"no length of IPv4", {.length = 64}, "these need a /24"},
    {"a length that is enough", {.length = 19, .nodes = 32}, ""},
    {"one that is not", {.length = 20, .nodes = 32}, "for 32 nodes of /24: these need a /19"},
    {"larger nodes", {.length = 17, .nodes = 100, .max_pods = 250}, "these need a /16"},
    {"larger nodes by the provider's default",
     {.length = 24, .provider = effective::Provider::Metal},
     "for 1 node of /23: these need a /23"},
    {"more nodes than addresses", {.nodes = 1 << 24}, "no range of pods holds 16777216 nodes"},
    {"as many pod CIDRs as Kubernetes makes", {.nodes = 65'536, .pools = {range("fd00::/8")}}, ""},
    {"one more", {.nodes = 65'537, .pools = {range("fd00::/8")}}, "pods of /47 are too many"},
    {"IPv6", {.length = 56, .pools = {range("fd00::/8")}}, ""},
    {"less than one node of IPv6",
     {.length = 65, .pools = {range("fd00::/8")}},
     "these need a /64"},
};

TEST(Wanted, SaysWhyNoShootCouldHaveSuchPods) {
  for (const Row& row : kRows) {
    if (*row.flaw == '\0')
      EXPECT_EQ(row.wanted.flaw(), "") << row.because;
    else
      EXPECT_THAT(row.wanted.flaw(), HasSubstr(row.flaw)) << row.because;
  }
}

}  // namespace wanted_test

namespace free_ranges_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::LocatedShoots;
using testing::prefix;
using testing::ShootText;

const std::string kShared = "vpc: {name: shared}, workers: 10.250.0.0/16";

std::vector<Proposal> propose(const LocatedShoots& located, const Wanted& wanted,
                              const std::string& key = "gcp/shared") {
  const auto& domains = located.routing_scopes.domains;
  const auto domain = std::ranges::find(domains, key, &Domain::key);
  EXPECT_NE(domain, domains.end());
  const auto number = static_cast<std::uint32_t>(domain - domains.begin());
  return FreeRanges(located.inventory, located.routing_scopes, number).propose(wanted);
}

std::vector<std::string> pods_of(const std::vector<Proposal>& proposals) {
  std::vector<std::string> pods;
  for (const Proposal& proposal : proposals)
    pods.push_back(proposal.pods.to_string());
  return pods;
}

ShootText shared_shoot(const std::string& name, const std::string& pods) {
  return {.name = name, .networks = kShared, .pods = pods, .credentials = "main"};
}

TEST(FreeRanges, ProposesTheLowestPodsAndTheServicesThatOthersHave) {
  const LocatedShoots located(testing::texts({shared_shoot("a", "100.96.0.0/11")}));
  const auto proposals = propose(located, {.shoots = 2, .length = 16});
  EXPECT_THAT(pods_of(proposals), ElementsAre("100.72.0.0/16", "100.73.0.0/16"));
  EXPECT_EQ(proposals[0].services, prefix("100.64.0.0/13"));
  EXPECT_EQ(proposals[0].node_cidr_mask_size, 24);
  EXPECT_EQ(proposals[0].max_nodes, 256);
}

TEST(FreeRanges, StayTheSameWhenTheFirstIsTaken) {
  const LocatedShoots before(testing::texts({shared_shoot("a", "100.96.0.0/11")}));
  const auto first = pods_of(propose(before, {.shoots = 3, .length = 18}));
  const LocatedShoots after(
      testing::texts({shared_shoot("a", "100.96.0.0/11"), shared_shoot("b", first[0])}));
  EXPECT_THAT(pods_of(propose(after, {.shoots = 2, .length = 18})),
              ElementsAre(first[1], first[2]));
}

struct Taken {
  const char* because;
  std::string others;
  std::string first;
};

TEST(FreeRanges, LeaveOutDeclaredRanges) {
  const Taken rows[] = {
      {"nothing else", "", "100.72.0.0/16"},
      {"the landscape reserves it", testing::routing_domains("reserved: [{cidr: 100.72.0.0/13}]"),
       "100.80.0.0/16"},
      {"the network has it",
       testing::routing_domains("projects: [{name: p, provider: gcp, credentials: "
                                "[garden-dev/main]}], networks: [{provider: gcp, network: shared, "
                                "project: p, ranges: [{cidr: 100.72.0.0/14}]}]"),
       "100.76.0.0/16"},
      {"it is reached over a connection",
       testing::routing_domains("connections: [{name: hub, kind: vpn, networks: "
                                "[{shoot: garden-dev/a}], ranges: [{cidr: 100.72.0.0/15}]}]"),
       "100.74.0.0/16"},
  };
  for (const Taken& row : rows) {
    const LocatedShoots located(testing::texts({shared_shoot("a", "100.96.0.0/11")}, row.others));
    EXPECT_THAT(pods_of(propose(located, {.length = 16})), ElementsAre(row.first)) << row.because;
  }
}

TEST(FreeRanges, AreAsLargeAsTheNodesNeed) {
  const LocatedShoots located(testing::texts({shared_shoot("a", "100.96.0.0/11")}));
  EXPECT_EQ(propose(located, {.nodes = 100})[0].pods.length(), 17);
  EXPECT_EQ(propose(located, {.nodes = 100, .max_pods = 250})[0].pods.length(), 16);
  EXPECT_EQ(propose(located, {})[0].pods.length(), 16);
  EXPECT_THAT(propose(located, {.nodes = std::int64_t{1} << 40}), IsEmpty());
}

TEST(FreeRanges, UseTheProvidersNodeMask) {
  const LocatedShoots located(testing::texts({{.name = "a", .provider = "metal"}}));
  const std::string own = "metal/shoot/garden-dev/a";
  EXPECT_EQ(propose(located, {}, own)[0].node_cidr_mask_size, 23);
  EXPECT_EQ(propose(located, {}, own)[0].max_nodes, 128);
  EXPECT_EQ(propose(located, {.nodes = 100}, own)[0].pods.length(), 16);
  EXPECT_EQ(propose(located, {.nodes = 100, .max_pods = 110}, own)[0].pods.length(), 17);
}

TEST(FreeRanges, SearchTheGivenPools) {
  const LocatedShoots located(testing::texts({shared_shoot("a", "10.0.0.0/17")}));
  EXPECT_THAT(
      pods_of(propose(located, {.shoots = 5, .length = 17, .pools = {prefix("10.0.0.0/16")}})),
      ElementsAre("10.0.128.0/17"));
  const LocatedShoots alicloud(testing::texts(
      {{.provider = "alicloud", .networks = "vpc: {id: v}", .pods = "10.0.0.0/16"}}));
  const Wanted shared{.shoots = 2, .length = 14, .pools = {prefix("100.96.0.0/12")}};
  EXPECT_THAT(pods_of(propose(alicloud, shared, "alicloud/v")),
              ElementsAre("100.96.0.0/14", "100.104.0.0/14"))
      << "the cloud's own services are between them";
  const auto six = propose(located, {.length = 56, .pools = {prefix("fd00::/40")}});
  EXPECT_THAT(pods_of(six), ElementsAre("fd00:0:0:100::/56"));
  EXPECT_EQ(six[0].services, prefix("fd00::/112"));
  EXPECT_EQ(six[0].max_nodes, 256);
}

}  // namespace free_ranges_test

}  // namespace overlane::overlap

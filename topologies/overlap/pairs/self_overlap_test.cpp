#include "topologies/overlap/pairs/self_overlap.h"

#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace inside_test {

using ::testing::UnorderedElementsAreArray;

/// "error overlap-in-shoot pods services"; `reserved` is declared.
std::vector<std::string> found_in(const testing::ShootText& text, const std::string& others) {
  const Inventory inventory = testing::read(testing::texts({text}, others));
  std::vector<std::string> found;
  compare_own_ranges(inventory.shoots.at(0), reserved_ranges(inventory),
                     [&](const SelfOverlap& pair) {
                       EXPECT_EQ(pair.is_own, pair.owner.empty());
                       EXPECT_TRUE(pair.own.cidr.overlaps(pair.other.cidr));
                       found.push_back(fmt::format("{} {} {} {}", to_string(pair.impact.severity),
                                                   pair.impact.rule->id, to_string(pair.own.role),
                                                   to_string(pair.other.role)));
                     });
  return found;
}

struct Row {
  const char* because;
  testing::ShootText shoot;
  std::vector<std::string> found;
  std::string others = "";
};

TEST(SelfOverlap, FindsOverlapsWithinAShoot) {
  const std::string seed =
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: s}\nspec: "
      "{networks: {pods: 100.96.0.0/11, services: 100.64.0.0/13, nodes: 10.1.0.0/16}}\n";
  const std::string seed6 =
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: s}\nspec: "
      "{networks: {pods: 'fd00:1::/48', services: 'fd00:2::/112', ipFamilies: [IPv6]}}\n";
  const Row rows[] = {
      {"ranges of their own", {}, {}},
      {"IPv4, which admission compares",
       {.services = "100.97.0.0/16"},
       {"error overlap-in-shoot pods services"}},
      {"subnets that admission compares, too: one of them is enough",
       {.provider = "aws",
        .networks = "vpc: {id: v}, zones: [{name: z, workers: 10.250.0.0/20, internal: "
                    "10.251.0.0/24, public: 10.251.1.0/24}]",
        .pods = "10.250.0.0/15",
        .nodes = "10.250.0.0/20"},
       {"error overlap-in-shoot pods nodes"}},
      {"an internal subnet, which nobody compares on openstack",
       {.provider = "openstack", .networks = "workers: 100.97.0.0/24", .nodes = "10.0.0.0/8"},
       {"error overlap-in-shoot pods subnet"}},
      {"a range that no document gives",
       {.pods = "", .services = "100.97.0.0/16"},
       {"warning overlap-in-shoot pods services"}},
      {"nodes, which openstack does not compare; their subnet only repeats it",
       {.provider = "openstack", .networks = "workers: 100.97.0.0/24", .nodes = "100.97.0.0/16"},
       {"error overlap-in-shoot pods nodes"}},
      {"a subnet lies in its nodes and these in their VPC",
       {.provider = "aws",
        .networks = "vpc: {cidr: 10.250.0.0/15}, zones: [{name: z, workers: 10.250.1.0/24}]"},
       {}},
      {"IPv6, which nobody compares",
       {.provider = "local",
        .pods = "'fd00::/48'",
        .services = "'fd00::/112'",
        .nodes = "",
        .families = "IPv6"},
       {"warning overlap-in-shoot pods services"}},
      {"alias ranges are the subnet's",
       {.pods = "10.250.0.0/17",
        .families = "IPv4, IPv6",
        .status = "networking: {nodes: ['10.250.0.0/16', '2001:db8::/64']}"},
       {}},
      {"IPv4 ranges of the seed, which the VPN maps",
       {.spec = "seedName: s"},
       {"note overlap-with-seed pods seed-pods", "note overlap-with-seed services seed-services"},
       seed},
      {"IPv6 ranges of the seed",
       {.provider = "local",
        .pods = "'fd00:1::/48'",
        .services = "'fd00:3::/112'",
        .nodes = "",
        .families = "IPv6",
        .spec = "seedName: s"},
       {"error overlap-with-seed-ipv6 pods seed-pods"},
       seed6},
      {"what the VPN uses",
       {.pods = "244.0.0.0/16"},
       {"error overlap-gardener-reserved pods reserved"}},
      {"what the operator keeps",
       {.nodes = "10.42.7.0/24"},
       {"warning overlap-landscape-reserved nodes reserved"},
       testing::routing_domains("reserved: [{cidr: 10.42.0.0/15}]")},
      {"a subnet in it, which only repeats it",
       {.networks = "workers: 10.42.7.0/25", .nodes = "10.42.7.0/24"},
       {"warning overlap-landscape-reserved nodes reserved"},
       testing::routing_domains("reserved: [{cidr: 10.42.0.0/15}]")},
      {"Alibaba Cloud's name servers, inside Gardener's usual pods",
       {.provider = "alicloud"},
       {"warning overlap-cloud-services pods reserved"}},
      {"pods beside them", {.provider = "alicloud", .pods = "100.104.0.0/13"}, {}},
      {"services there hurt only who has such an address",
       {.provider = "alicloud", .pods = "10.0.0.0/11", .services = "100.96.0.0/13"},
       {}},
      {"on another cloud nobody is there", {.provider = "aws"}, {}},
  };
  for (const Row& row : rows)
    EXPECT_THAT(found_in(row.shoot, row.others), UnorderedElementsAreArray(row.found))
        << row.because;
}

/// The consequence of the first pair.
std::string consequence_of(const testing::ShootText& text) {
  const Inventory inventory = testing::read(text.yaml());
  const Shoot& shoot = inventory.shoots.at(0);
  std::string told;
  compare_own_ranges(shoot, reserved_ranges(inventory), [&](const SelfOverlap& pair) {
    if (told.empty()) told = consequence(shoot, pair);
  });
  return told;
}

TEST(SelfOverlap, NamesTheRuleByWhichGardenerRefuses) {
  const std::string meets =
      "on the shoot's nodes an address in both ranges has one meaning only: pods, nodes or "
      "Services there "
      "cannot be reached";
  EXPECT_EQ(consequence_of({.services = "100.97.0.0/16", .live = false}),
            "Gardener refuses garden-dev/a (ranges-overlap)");
  EXPECT_EQ(consequence_of({.services = "100.97.0.0/16"}),
            "Gardener refuses every update of garden-dev/a (ranges-overlap), and " + meets);
  EXPECT_EQ(consequence_of({.provider = "aws",
                            .networks = "vpc: {id: v}, zones: [{name: z, public: 100.97.0.0/24}]",
                            .live = false}),
            "Gardener refuses garden-dev/a (ranges-overlap-subnets)");
  EXPECT_EQ(consequence_of({.provider = "openstack", .networks = "workers: 100.97.0.0/24"}), meets)
      << "which its validator does not compare";
}

}  // namespace inside_test

}  // namespace overlane::overlap

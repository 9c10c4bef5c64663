#include "topologies/overlap/impact/next_conflict.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/report/findings.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
namespace latent_test {

using testing::LocatedShoots;
using testing::node;
using testing::ShootText;

ShootText shoot(const std::string& name, const std::string& provider, const std::string& pods,
                const std::string& nodes, int minimum) {
  const std::string networks = provider == "gcp" ? "vpc: {name: n}" : "router: {id: r}";
  return {.name = name,
          .provider = provider,
          .networks = networks + ", workers: " + nodes,
          .pods = pods,
          .nodes = nodes,
          .credentials = "main",
          .minimum = minimum,
          .maximum = 9};
}

struct Row {
  const char* because;
  std::string provider;
  std::string pods_a;
  std::string pods_b;
  int minimum;
  std::string nodes;
  std::uint64_t until_nodes;
  std::uint64_t until_creations;
  Urgency urgency;
};

const Row kRows[] = {
    {"both allocate the same first pod CIDRs", "gcp", "100.96.0.0/11", "100.96.0.0/11", 1, "", 0, 0,
     Urgency::Now},
    {"b's first pod CIDR is a's 129th", "gcp", "10.0.0.0/16", "10.0.128.0/17", 3, "", 126, 126,
     Urgency::Later},
    {"nobody has a node yet: one each", "gcp", "10.0.0.0/16", "10.0.0.0/17", 0, "", 2, 2,
     Urgency::Later},
    {"a's allocator has come to 127 by replacing nodes", "gcp", "10.0.0.0/16", "10.0.128.0/17", 1,
     node("shoot--dev--a-w-1", 1, "10.250.0.5", "10.0.0.0/24") +
         node("shoot--dev--a-w-2", 2, "10.250.0.6", "10.0.126.0/24"),
     127, 2, Urgency::Later},
    {"a router's controllers delete each other's routes before pod CIDRs meet", "openstack",
     "10.0.0.0/16", "10.0.128.0/17", 3, "", 126, 126, Urgency::Now},
};

TEST(NextConflict, CountsTheNodesUntilPodCidrsOverlap) {
  for (const Row& row : kRows) {
    const LocatedShoots located(
        testing::texts({shoot("a", row.provider, row.pods_a, "10.250.0.0/24", row.minimum),
                        shoot("b", row.provider, row.pods_b, "10.250.1.0/24", row.minimum)},
                       row.nodes));
    const OverlapReport report = located.report();
    const auto found = std::ranges::find(report.overlaps, "pods-pods", &Overlap::kind);
    ASSERT_NE(found, report.overlaps.end()) << row.because;
    EXPECT_EQ(found->nodes_until_conflict, row.until_nodes) << row.because;
    EXPECT_EQ(found->creations_until_conflict, row.until_creations) << row.because;
    EXPECT_EQ(found->urgency, row.urgency) << row.because;
    EXPECT_EQ(found->impact.severity, Severity::Error) << row.because;
  }
}

struct Sleep {
  const char* because;
  std::string provider;
  std::string kind;
  std::string spec;
  std::string status;
  std::string nodes_a;
  std::string nodes_b;
  Urgency urgency;
  std::optional<std::uint64_t> until_creations;
};

const Sleep kSleeps[] = {
    {"its first node is the one that collides", "gcp", "pods-pods", "hibernation: {enabled: true}",
     "hibernated: true", "10.250.0.0/24", "10.250.1.0/24", Urgency::Later, 1},
    {"neither does its route controller run", "openstack", "pods-pods", "", "hibernated: true",
     "10.250.0.0/24", "10.250.1.0/24", Urgency::Later, 1},
    {"an older dump has no status", "gcp", "pods-pods", "hibernation: {enabled: true}", "",
     "10.250.0.0/24", "10.250.1.0/24", Urgency::Later, 1},
    {"it still falls asleep", "gcp", "pods-pods", "hibernation: {enabled: true}",
     "hibernated: false", "10.250.0.0/24", "10.250.1.0/24", Urgency::Now, 0},
    {"it wakes up", "gcp", "pods-pods", "hibernation: {enabled: false}", "hibernated: true",
     "10.250.0.0/24", "10.250.1.0/24", Urgency::Now, 0},
    {"its subnet stays, and the cloud makes no other over it", "gcp", "nodes-nodes", "",
     "hibernated: true", "10.250.0.0/24", "10.250.0.0/24", Urgency::Now, std::nullopt},
    {"gcp refuses routes inside a subnet without machines", "gcp", "pods-nodes", "",
     "hibernated: true", "10.0.0.0/24", "10.250.1.0/24", Urgency::Now, 0},
    {"on openstack they find nobody to hurt", "openstack", "pods-nodes", "", "hibernated: true",
     "10.0.0.0/24", "10.250.1.0/24", Urgency::Later, 0},
};

TEST(NextConflict, OfAHibernatedShootStartsWhenItWakesUp) {
  for (const Sleep& row : kSleeps) {
    ShootText a = shoot("a", row.provider, "10.0.0.0/16", row.nodes_a, 3);
    if (row.kind == "pods-nodes") a.pods = "10.1.0.0/16";
    a.spec = row.spec;
    a.status = row.status;
    const LocatedShoots located(
        testing::texts({a, shoot("b", row.provider, "10.0.0.0/16", row.nodes_b, 3)},
                       node("shoot--dev--a-w-1", 1, "10.250.0.5", "10.0.0.0/24")));
    const OverlapReport report = located.report();
    const auto found = std::ranges::find(report.overlaps, row.kind, &Overlap::kind);
    ASSERT_NE(found, report.overlaps.end()) << row.because;
    EXPECT_EQ(found->urgency, row.urgency) << row.because;
    EXPECT_EQ(found->creations_until_conflict, row.until_creations) << row.because;
    EXPECT_EQ(found->a.waking_nodes.has_value(), found->a.nodes == 0) << row.because;
    EXPECT_EQ(until_text(*found).find(
                  "garden-dev/a is hibernated: no nodes until it wakes up, then at least 3") !=
                  std::string::npos,
              row.urgency == Urgency::Later)
        << row.because << ": " << until_text(*found);
  }
}

TEST(NextConflict, AttributesNodesByNameOrAddress) {
  const LocatedShoots located(testing::texts(
      {shoot("a", "gcp", "10.0.0.0/16", "10.250.0.0/24", 1),
       shoot("b", "gcp", "10.1.0.0/16", "10.250.1.0/24", 1)},
      node("shoot--dev--a-w-1", 1, "10.250.9.9", "10.0.7.0/24") +
          node("ip-2", 2, "10.250.9.9", "10.0.8.0/24", "gce://p/z/shoot--dev--a-w-2") +
          node("ip-3", 3, "10.250.1.3", "10.1.9.0/24") +
          node("ip-4", 4, "10.250.9.9", "10.1.9.0/24") +
          node("ip-5", 5, "10.250.1.5}, {type: InternalIP, address: 'fd00::5'", "10.1.5.0/24")));
  EXPECT_THAT(located.shoot("a").pod_cidrs, ::testing::ElementsAre(testing::prefix("10.0.7.0/24"),
                                                                   testing::prefix("10.0.8.0/24")));
  EXPECT_THAT(located.shoot("b").pod_cidrs, ::testing::ElementsAre(testing::prefix("10.1.9.0/24"),
                                                                   testing::prefix("10.1.5.0/24")));
  ASSERT_EQ(located.inventory.findings.size(), 1u);
  EXPECT_EQ(located.inventory.findings[0].rule, "node-of-no-shoot");
  EXPECT_EQ(located.inventory.findings[0].object.name, "ip-4");
}

TEST(NextConflict, CountsNodesOnceInOrderOfCreation) {
  const std::string first = node("shoot--dev--a-w-1", 1, "10.250.0.5", "10.0.9.0/24");
  const std::string low = node("shoot--dev--a-w-2", 2, "10.250.0.6", "10.0.3.0/24");
  const std::string high = node("shoot--dev--a-w-3", 2, "10.250.0.7", "10.0.4.0/24");
  for (const std::string& nodes : {first + low + high + low, high + low + first}) {
    const LocatedShoots located(
        testing::texts({shoot("a", "gcp", "10.0.0.0/16", "10.250.0.0/24", 1)}, nodes));
    EXPECT_THAT(
        located.shoot("a").pod_cidrs,
        ::testing::ElementsAre(testing::prefix("10.0.9.0/24"), testing::prefix("10.0.3.0/24"),
                               testing::prefix("10.0.4.0/24")));
  }
}

TEST(NextConflict, CountsADualStackNodeOnce) {
  const std::string pod_cidrs = "10.0.0.0/24, podCIDRs: [10.0.0.0/24, 'fd00::/64']";
  const auto a = [&](const std::string& families) {
    ShootText text = shoot("a", "openstack", "10.0.0.0/16", "10.250.0.0/24", 1);
    text.families = families;
    return text;
  };
  const LocatedShoots located(
      testing::texts({a("IPv4, IPv6"), shoot("b", "openstack", "10.0.0.0/16", "10.250.1.0/24", 1)},
                     node("shoot--dev--a-w-1", 1, "10.250.0.5", pod_cidrs)));
  EXPECT_EQ(located.shoot("a").pod_cidrs.size(), 2u);
  const OverlapReport report = located.report();
  const auto found = std::ranges::find(report.overlaps, "pods-pods", &Overlap::kind);
  ASSERT_NE(found, report.overlaps.end());
  EXPECT_EQ(found->growth, 16u) << "each may have 9 nodes and has 1";
}

}  // namespace latent_test
}  // namespace overlane::overlap

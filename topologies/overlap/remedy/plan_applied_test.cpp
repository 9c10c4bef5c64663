#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/document/read/read.h"
#include "topologies/overlap/inventory/read.h"
#include "topologies/overlap/remedy/plan.h"
#include "topologies/overlap/report/find.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
namespace plan_applied_test {

/// Stands for a range that a plan leaves to the user (nodes, IPv6, what is too large): each is
/// free.
IpPrefix chosen_by_the_user(const IpPrefix& from, std::size_t number) {
  const std::string text =
      from.is_ipv4() ? fmt::format("{}.0.0.0", 10 + number) : fmt::format("fd42:{:x}::", number);
  const auto address = IpAddress::parse(text).value();
  return IpPrefix::containing(address, from.length());
}

/// The inventory as it is once all shoots of the plan have their new ranges. A plan that names a
/// range that a shoot does not have fails the test.
Inventory carried_out(Inventory inventory, const std::vector<PlanStep>& steps) {
  std::size_t left_to_the_user = 0;
  for (const PlanStep& step : steps) {
    Shoot& shoot = inventory.shoots.at(step.shoot);
    EXPECT_FALSE(step.changes.empty()) << step.name;
    for (const Change& change : step.changes) {
      const auto range = std::ranges::find_if(shoot.ranges, [&](const Range& own) {
        return own.role == change.role && own.cidr == change.from;
      });
      if (range == shoot.ranges.end()) {
        ADD_FAILURE() << step.name << " has no " << change.from.to_string();
        continue;
      }
      range->cidr = change.to ? *change.to : chosen_by_the_user(change.from, ++left_to_the_user);
      EXPECT_GE(range->cidr.length(), change.from.length());
    }
    shoot.pod_cidrs.clear();
  }
  return inventory;
}

/// What counts, a line each.
std::string found_in(const Inventory& inventory, const ConflictScope& scope) {
  const OverlapReport report =
      find_overlaps(Comparison(inventory), {.least = scope.least, .domain = scope.domain});
  std::string text;
  for (const Overlap& overlap : report.overlaps)
    text += fmt::format("{} {}: {} {} x {} {}\n", overlap.routing_domain, overlap.impact.rule->id,
                        overlap.a.owner, overlap.a.cidr.to_string(), overlap.b.owner,
                        overlap.b.cidr.to_string());
  return text;
}

/// What is left of it when its plan has been carried out.
std::string left_after_plan(const Inventory& inventory, const ConflictScope& scope) {
  return found_in(carried_out(inventory, plan(Comparison(inventory), scope)), scope);
}

Inventory example_landscape() {
  auto documents = document::read(OVERLANE_SOURCE_DIR "/topologies/library/landscape");
  EXPECT_TRUE(documents);
  std::vector<Landscape> landscapes;
  landscapes.push_back({"", *std::move(documents), {}});
  return LandscapeReader(std::move(landscapes), {}).read();
}

TEST(PlanApplied, LeavesNothingOfTheExampleLandscape) {
  const Inventory inventory = example_landscape();
  for (const Severity threshold : {Severity::Error, Severity::Warning}) {
    EXPECT_NE(found_in(inventory, {threshold}), "");
    EXPECT_EQ(left_after_plan(inventory, {threshold}), "");
  }
}

TEST(PlanApplied, LeavesNothingOfTheDomainThatItIsAskedFor) {
  const Inventory inventory = example_landscape();
  const Comparison comparison(inventory);
  std::size_t faulty = 0;
  for (const ComparisonScope& comparison_scope : comparison.comparison_scopes) {
    const ConflictScope scope{.domain = comparison_scope.key};
    faulty += found_in(inventory, scope).empty() ? 0 : 1;
    EXPECT_EQ(left_after_plan(inventory, scope), "") << comparison_scope.key;
  }
  EXPECT_EQ(faulty, 12u);
}

/// Shoots of one network, with ranges out of few, so that many meet.
class RandomShoots {
 public:
  explicit RandomShoots(unsigned seed) : random_(seed) {}

  std::string texts(const std::string& provider, const std::string& network, int count) {
    std::vector<testing::ShootText> shoots;
    for (int i = 0; i < count; ++i) {
      const std::string nodes = fmt::format("10.240.{}.0/24", below(40));
      shoots.push_back({.name = fmt::format("s{}", i),
                        .provider = provider,
                        .networks = network,
                        .pods = one_of({"10.0.0.0/12", "10.0.0.0/16", "10.0.64.0/18", "10.1.0.0/16",
                                        "10.240.0.0/18", "100.64.0.0/16", "10.8.0.0/16"}),
                        .services = one_of({"10.240.0.0/20", "100.64.0.0/16", "172.20.0.0/16"}),
                        .nodes = nodes,
                        .credentials = "main",
                        .overlay = below(3) == 0,
                        .minimum = 1 + below(5),
                        .maximum = 9,
                        .live = below(4) != 0});
    }
    return testing::texts(shoots);
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  std::string one_of(std::initializer_list<const char*> texts) {
    return *(texts.begin() + below(static_cast<int>(texts.size())));
  }
  std::mt19937 random_;
};

TEST(PlanApplied, LeavesNothingOfRandomNetworks) {
  struct Network {
    const char* provider;
    const char* network;
  };
  const Network networks[] = {{"gcp", "vpc: {name: shared}"},
                              {"aws", "vpc: {id: vpc-1}"},
                              {"openstack", "router: {id: r-1}"},
                              {"alicloud", "vpc: {id: vpc-1}"}};
  std::size_t faulty = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Network& network = networks[seed % 4];
    const std::string text = RandomShoots(seed).texts(network.provider, network.network, 8);
    const Inventory inventory = testing::read(text);
    for (const Severity threshold : {Severity::Error, Severity::Warning}) {
      faulty += found_in(inventory, {threshold}).empty() ? 0 : 1;
      EXPECT_EQ(left_after_plan(inventory, {threshold}), "") << "seed " << seed << text;
    }
  }
  EXPECT_GT(faulty, 60u);
}

}  // namespace plan_applied_test
}  // namespace overlane::overlap

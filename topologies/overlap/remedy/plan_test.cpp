#include "topologies/overlap/remedy/plan.h"

#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/document/read/read.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/report/find.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace plan_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::LocatedShoots;
using testing::ShootText;
using ::testing::UnorderedElementsAre;

std::vector<PlanStep> plan_of(const LocatedShoots& located) {
  return plan(located, {});
}

std::vector<std::string> names_of(const std::vector<PlanStep>& steps) {
  std::vector<std::string> names;
  for (const PlanStep& step : steps)
    names.push_back(step.name.substr(step.name.find('/') + 1));
  return names;
}

/// A shoot in one GCP network with all others, in a subnet of its own.
ShootText shared_shoot(const std::string& name, const std::string& pods, int subnet,
                       int minimum = 3) {
  const std::string nodes = fmt::format("10.{}.{}.0/24", 200 + subnet / 256, subnet % 256);
  return {.name = name,
          .networks = "vpc: {name: shared}, workers: " + nodes,
          .pods = pods,
          .nodes = nodes,
          .credentials = "main",
          .minimum = minimum,
          .maximum = minimum};
}

TEST(Plan, OfAPathOfThreeIsTheMiddleOne) {
  const LocatedShoots located(
      testing::texts({shared_shoot("a", "10.0.0.0/17", 0), shared_shoot("b", "10.0.0.0/16", 1),
                      shared_shoot("c", "10.0.128.0/17", 2)}));
  const auto steps = plan_of(located);
  ASSERT_THAT(names_of(steps), ElementsAre("b"));
  EXPECT_TRUE(steps[0].exact);
  EXPECT_TRUE(steps[0].created);
  EXPECT_EQ(steps[0].conflicts, 2u);
  EXPECT_THAT(steps[0].because, ElementsAre("garden-dev/a", "garden-dev/c"));
  ASSERT_EQ(steps[0].changes.size(), 1u);
  EXPECT_EQ(steps[0].changes[0].role, Role::Pods);
  EXPECT_EQ(steps[0].changes[0].to, testing::prefix("100.72.0.0/16"));
}

TEST(Plan, KeepsTheOneWithMostNodes) {
  const LocatedShoots located(testing::texts({shared_shoot("a", "10.0.0.0/16", 0, 2),
                                              shared_shoot("b", "10.0.0.0/16", 1, 9),
                                              shared_shoot("c", "10.0.0.0/16", 2, 4)}));
  EXPECT_THAT(names_of(plan_of(located)), UnorderedElementsAre("a", "c"));
}

TEST(Plan, CountsTheNodesThatAreThere) {
  std::string nodes;
  for (int i = 0; i < 4; ++i)
    nodes += testing::node(fmt::format("shoot--dev--a-w-{}", i), i, fmt::format("10.200.0.{}", i),
                           fmt::format("10.0.{}.0/24", i));
  const LocatedShoots located(testing::texts(
      {shared_shoot("a", "10.0.0.0/16", 0, 1), shared_shoot("b", "10.0.0.0/16", 1, 3)}, nodes));
  const auto steps = plan_of(located);
  EXPECT_THAT(names_of(steps), ElementsAre("b"));
  EXPECT_EQ(steps[0].nodes, 3);
}

TEST(Plan, CountsAnOwnerOfSeveralRangesOnce) {
  ShootText a = shared_shoot("a", "10.0.0.0/17", 0, 1);
  a.networks = "vpc: {name: shared}, workers: 10.1.0.0/24";
  a.nodes = "10.1.0.0/24";
  const LocatedShoots located(testing::texts({a, shared_shoot("b", "10.0.0.0/15", 1)}));
  const auto steps = plan_of(located);
  ASSERT_THAT(names_of(steps), ElementsAre("a"));
  EXPECT_EQ(steps[0].changes.size(), 2u);
  EXPECT_EQ(steps[0].conflicts, 1u);
  EXPECT_THAT(steps[0].because, ElementsAre("garden-dev/b"));
}

TEST(Plan, ChangesManifestsBeforeRunningShoots) {
  ShootText wanted = shared_shoot("wanted", "10.0.0.0/16", 0);
  wanted.live = false;
  ShootText other = shared_shoot("other", "10.0.0.0/17", 1);
  other.live = false;
  const LocatedShoots located(
      testing::texts({wanted, other, shared_shoot("running", "10.0.0.0/18", 2, 1)}));
  const auto steps = plan_of(located);
  EXPECT_THAT(names_of(steps), UnorderedElementsAre("other", "wanted"));
  EXPECT_FALSE(steps[0].created);
}

TEST(Plan, NamesShootsInConflictWithImmutableRanges) {
  const LocatedShoots located(testing::texts(
      {shared_shoot("a", "10.0.0.0/16", 0), shared_shoot("b", "10.1.0.0/16", 1)},
      testing::routing_domains("connections: [{name: hub, kind: vpn, networks: "
                               "[{shoot: garden-dev/a}], ranges: [{cidr: 10.0.0.0/15, "
                               "purpose: data centre}]}]")));
  const auto steps = plan_of(located);
  EXPECT_THAT(names_of(steps), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(steps[0].because, ElementsAre("data centre 10.0.0.0/15"));
}

std::vector<IpPrefix> new_pods(const std::vector<PlanStep>& steps) {
  std::vector<IpPrefix> pods;
  for (const PlanStep& step : steps)
    pods.push_back(step.changes.at(0).to.value());
  return pods;
}

/// Two pairs of shoots with the usual pods, of which there are few.
TEST(Plan, ReusesRangesInUnconnectedNetworks) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 4; ++i) {
    ShootText shoot = shared_shoot(std::string(1, static_cast<char>('a' + i)), "100.96.0.0/11", i);
    shoot.networks.replace(shoot.networks.find("shared"), 6, i < 2 ? "first" : "second");
    shoots.push_back(shoot);
  }
  const std::string connection = testing::routing_domains(
      "connections: [{name: hub, kind: peering, networks: [{shoot: garden-dev/a}, {shoot: "
      "garden-dev/c}]}]");
  EXPECT_THAT(new_pods(plan_of(LocatedShoots(testing::texts(shoots)))),
              ElementsAre(testing::prefix("10.0.0.0/11"), testing::prefix("10.0.0.0/11")));
  EXPECT_THAT(new_pods(plan_of(LocatedShoots(testing::texts(shoots, connection)))),
              ElementsAre(testing::prefix("10.0.0.0/11"), testing::prefix("10.32.0.0/11")));
}

/// Eight of 12 shoots with the default pod range can get one as large.
TEST(Plan, ProposesSmallerPodsWhereNoneAsLargeAreFree) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 12; ++i)
    shoots.push_back(shared_shoot(fmt::format("s{:02}", i), "100.96.0.0/11", i));
  shoots[10].maximum = 1000;
  const auto pods = new_pods(plan_of(LocatedShoots(testing::texts(shoots))));
  ASSERT_EQ(pods.size(), 11u);
  EXPECT_EQ(pods[6].length(), 11);
  EXPECT_EQ(pods[7], testing::prefix("100.76.0.0/16"));
  EXPECT_EQ(pods[10].length(), 14) << "1,000 nodes";
}

TEST(Plan, IsEmptyWithoutConflicts) {
  const LocatedShoots located(
      testing::texts({shared_shoot("a", "10.0.0.0/16", 0), shared_shoot("b", "10.1.0.0/16", 1)}));
  EXPECT_THAT(plan_of(located), IsEmpty());
}

/// Whether conflicts are left when all shoots but these stay.
bool suffices(const LocatedShoots& located, const std::vector<PlanStep>& steps,
              const PlanStep* without) {
  std::vector<bool> stays(located.inventory.shoots.size(), true);
  for (const PlanStep& step : steps)
    stays[step.shoot] = &step == without;
  const Conflicts left = find_conflicts(located, stays, {});
  return left.pairs.empty() && left.alone.empty();
}

TEST(Plan, BeyondTwentyShootsNoneCanBeLeftOut) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 30; ++i)  // Nested and beside each other: 10.0.0.0/16 … /20.
    shoots.push_back(shared_shoot(
        fmt::format("s{}", i),
        fmt::format("10.0.{}.0/{}", i % 5 == 0 ? 0 : (i * 37 % 16) * 16, i % 5 == 0 ? 16 : 20), i,
        1 + i % 4));
  const LocatedShoots located(testing::texts(shoots));
  const auto steps = plan_of(located);
  ASSERT_FALSE(steps.empty());
  EXPECT_FALSE(steps[0].exact);
  EXPECT_TRUE(suffices(located, steps, nullptr));
  for (const PlanStep& step : steps)
    EXPECT_FALSE(suffices(located, steps, &step)) << step.name;
}

TEST(Plan, ResolvesMoreConflictsThanCanBeListed) {
  std::vector<ShootText> shoots;
  for (int i = 0; i < 700; ++i)  // 244,650 pairs.
    shoots.push_back(shared_shoot(fmt::format("s{}", i), "10.0.0.0/16", i));
  const LocatedShoots located(testing::texts(shoots));
  const auto steps = plan_of(located);
  EXPECT_EQ(steps.size(), 699u);
  EXPECT_TRUE(suffices(located, steps, nullptr));
  EXPECT_FALSE(suffices(located, steps, &steps.front()));
}

}  // namespace plan_test

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
  const OverlapReport report = find_overlaps(
      Comparison(inventory), {.min_severity = scope.min_severity, .domain = scope.domain});
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
  auto documents = document::read(source_file("topologies/library/landscape"));
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

namespace conflicts_test {

using ::testing::ElementsAreArray;
using testing::LocatedShoots;
using testing::ShootText;

ShootText routed(const std::string& name, const std::string& pods, const std::string& nodes) {
  return {.name = name,
          .networks = "vpc: {name: shared}, workers: " + nodes,
          .pods = pods,
          .nodes = nodes,
          .credentials = "main"};
}

struct Row {
  const char* because;
  std::vector<ShootText> shoots;  ///< Named a, b, c, ….
  std::vector<bool> takes_part;
  Severity threshold;
  std::vector<std::string> pairs;  ///< "a-b".
  std::vector<std::string> alone;
  std::vector<std::string> involved;  ///< "a pods x": that range of a meets one of x.
  std::string others = "";
};

std::string name_of(const LocatedShoots& located, std::uint32_t shoot) {
  return located.inventory.shoots.at(shoot).object.name;
}

TEST(Conflicts, AreThoseOfTheShootsThatTakePart) {
  const ShootText a = routed("a", "10.0.0.0/16", "10.250.0.0/24");
  const ShootText b = routed("b", "10.0.0.0/17", "10.250.1.0/24");
  const ShootText c = routed("c", "10.0.128.0/17", "10.250.2.0/24");
  ShootText overlay = routed("b", "10.0.0.0/17", "10.250.1.0/24");
  overlay.overlay = true;
  ShootText broken = a;
  broken.services = "10.0.3.0/24";
  const std::string of_nobody = testing::routing_domains(
      "projects: [{name: p, provider: gcp, credentials: [garden-dev/main]}], networks: [{provider: "
      "gcp, network: shared, project: p, ranges: [{cidr: 10.0.7.0/24, purpose: farm}]}]");
  const Row rows[] = {
      {"each pair once, and both sides of it",
       {a, b, c},
       {true, true, true},
       Severity::Error,
       {"a-b", "a-c"},
       {},
       {"a pods garden-dev/b", "a pods garden-dev/c", "b pods garden-dev/a",
        "c pods garden-dev/a"}},
      {"who takes no part is in none", {a, b, c}, {false, true, true}, Severity::Error, {}, {}, {}},
      {"a warning weighs less than an error",
       {a, overlay},
       {true, true},
       Severity::Error,
       {},
       {},
       {}},
      {"but not less than a warning",
       {a, overlay},
       {true, true},
       Severity::Warning,
       {"a-b"},
       {},
       {"a pods garden-dev/b", "b pods garden-dev/a"}},
      {"with itself", {broken}, {true}, Severity::Error, {}, {"a"}, {"a pods its own services"}},
      {"with a range that belongs to no shoot",
       {a},
       {true},
       Severity::Error,
       {},
       {"a"},
       {"a pods farm 10.0.7.0/24"},
       of_nobody},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.because);
    const LocatedShoots located(testing::texts(row.shoots, row.others));
    const Conflicts found =
        find_conflicts(located, row.takes_part, {.min_severity = row.threshold});
    EXPECT_TRUE(found.complete);
    std::vector<std::string> pairs;
    for (const auto& [first, second] : found.pairs)
      pairs.push_back(name_of(located, first) + '-' + name_of(located, second));
    EXPECT_THAT(pairs, ElementsAreArray(row.pairs));
    std::vector<std::string> alone;
    for (const std::uint32_t shoot : found.alone)
      alone.push_back(name_of(located, shoot));
    EXPECT_THAT(alone, ElementsAreArray(row.alone));
    std::vector<std::string> involved;
    for (const Conflicts::Involved& one : found.involved)
      involved.push_back(
          fmt::format("{} {} {}", name_of(located, one.shoot), to_string(one.role), one.other));
    EXPECT_THAT(involved, ElementsAreArray(row.involved));
  }
}

}  // namespace conflicts_test

}  // namespace overlane::overlap

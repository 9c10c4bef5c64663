#include "topologies/overlap/remedy/conflicts.h"

#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
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
      {"with what is nobody's",
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
    const Conflicts found = find_conflicts(located, row.takes_part, {.least = row.threshold});
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

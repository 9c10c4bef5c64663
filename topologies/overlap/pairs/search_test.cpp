#include "topologies/overlap/pairs/search.h"

#include <algorithm>
#include <deque>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/random/stream.h"
#include "topologies/overlap/testing/quadratic.h"

namespace overlane::overlap {

namespace search_test {

auto order_of(const PairGroup& group) {
  return std::tuple(group.impact.rule->id, group.impact.severity, group.impact.sure, group.first,
                    group.second);
}

/// What both searches are to agree in, pairs in one order.
std::vector<PairGroup> in_order(std::vector<PairGroup> groups) {
  for (PairGroup& group : groups) {
    for (RangePair& pair : group.listed)
      if (pair.b < pair.a) std::swap(pair.a, pair.b);
    std::ranges::sort(group.listed);
  }
  std::ranges::sort(groups, {}, order_of);
  return groups;
}

void expect_same(const std::vector<PairGroup>& fast, const std::vector<PairGroup>& slow) {
  ASSERT_EQ(fast.size(), slow.size());
  for (std::size_t i = 0; i < fast.size(); ++i) {
    EXPECT_EQ(order_of(fast[i]), order_of(slow[i]));
    EXPECT_EQ(fast[i].pairs, slow[i].pairs) << fast[i].impact.rule->id;
    EXPECT_EQ(fast[i].owners, slow[i].owners) << fast[i].impact.rule->id;
    EXPECT_EQ(fast[i].listed, slow[i].listed) << fast[i].impact.rule->id;
  }
}

/// Claims of a few parties in few networks with few addresses, so that all sorts of pairs occur.
class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed, StreamUse::Pattern, 0) {
    const std::uint64_t owners = 2 + below(9);
    for (std::uint32_t owner = 0; owner < owners; ++owner) {
      const RoutingScope routing_scope = random_position(owner);
      for (std::uint64_t i = 0, count = 1 + below(4); i < count; ++i)
        entries.push_back({&ranges_.emplace_back(random_range()), routing_scope, owner});
    }
    scope.is_connection = below(3) == 0;
    scope.if_same = below(2) == 0 ? NetworkRelation::OneRouteTable : NetworkRelation::OneNetwork;
    scope.connected =
        below(2) == 0 ? NetworkRelation::Connected : NetworkRelation::ConnectedForPods;
  }

  std::vector<RangeEntry> entries;
  SearchScope scope;

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

  /// Whoever shares the narrower thing shares the wider one.
  RoutingScope random_position(std::uint32_t owner) {
    const auto network = static_cast<std::uint32_t>(below(3));
    const auto tables = below(2) == 0 ? network : 100 + owner;
    return {.domain = 0,
            .network = network,
            .possible_table = static_cast<std::uint32_t>(tables),
            .route_table = below(2) == 0 ? static_cast<std::uint32_t>(tables) : 200 + owner,
            .project_known = network != 0};
  }

  Range random_range() {
    constexpr Role kRoles[] = {Role::Pods, Role::Pods,   Role::Nodes,   Role::Services,
                               Role::Vpc,  Role::Subnet, Role::Declared};
    Range range{.role = kRoles[below(std::size(kRoles))]};
    if (range.role == Role::Pods)
      range.dataplane_mode = below(2) == 0 ? DataplaneMode::Overlay : DataplaneMode::Routed;
    range.assumed = below(4) == 0;
    range.inner = below(2) == 0;
    range.outer = below(2) == 0;
    if (below(4) == 0) {
      const auto length = static_cast<std::uint8_t>(below(129));
      range.cidr = IpPrefix::containing(IpAddress::parse("fd00::").value() + below(8), length);
    } else {
      const auto length = static_cast<std::uint8_t>(below(3) == 0 ? below(33) : 27 + below(6));
      range.cidr =
          Ipv4Prefix::containing({0x0a000000 + static_cast<std::uint32_t>(below(32))}, length);
    }
    return range;
  }

  RandomStream random_;
  std::deque<Range> ranges_;
};

TEST(Search, EqualsAnExhaustiveSearch) {
  std::size_t groups = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const RandomScene comparison_scope(seed);
    const auto slow =
        in_order(testing::search_quadratic(comparison_scope.entries, comparison_scope.scope));
    const auto fast = in_order(
        search(comparison_scope.entries, comparison_scope.scope, ~std::size_t{0}, Severity::Note));
    groups += slow.size();
    ASSERT_NO_FATAL_FAILURE(expect_same(fast, slow)) << "seed " << seed;
  }
  EXPECT_GT(groups, 10'000u);
}

TEST(Search, LimitsTheListButCountsAll) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomScene comparison_scope(seed);
    const auto all =
        search(comparison_scope.entries, comparison_scope.scope, ~std::size_t{0}, Severity::Note);
    const auto few = search(comparison_scope.entries, comparison_scope.scope, 2, Severity::Warning);
    ASSERT_EQ(few.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(few[i].pairs, all[i].pairs);
      EXPECT_EQ(few[i].owners, all[i].owners);
      const bool is_note = all[i].impact.severity == Severity::Note;
      EXPECT_EQ(few[i].listed.size(), is_note ? 0 : std::min<std::size_t>(2, all[i].pairs));
    }
  }
}

TEST(Search, ListsPairsThatAreAskedAboutFirst) {
  std::size_t asked_pairs = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomScene comparison_scope(seed);
    for (RangeEntry& entry : comparison_scope.entries)
      entry.asked_about = entry.owner == seed % 3;
    const auto is_asked = [&](const RangePair& pair) {
      return comparison_scope.entries[pair.a].asked_about ||
             comparison_scope.entries[pair.b].asked_about;
    };
    const auto all =
        search(comparison_scope.entries, comparison_scope.scope, ~std::size_t{0}, Severity::Note);
    const auto few = search(comparison_scope.entries, comparison_scope.scope, 2, Severity::Note);
    ASSERT_EQ(few.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto asked = static_cast<std::size_t>(std::ranges::count_if(all[i].listed, is_asked));
      const auto first = std::min<std::size_t>(2, asked);
      ASSERT_EQ(few[i].listed.size(),
                first + std::min<std::size_t>(2, all[i].listed.size() - asked));
      for (std::size_t pair = 0; pair < few[i].listed.size(); ++pair)
        EXPECT_EQ(is_asked(few[i].listed[pair]), pair < first);
      asked_pairs += asked;
    }
  }
  EXPECT_GT(asked_pairs, 1000u);
}

TEST(Search, CountsMorePairsThanCanBeListed) {
  const Range pods{.cidr = Ipv4Prefix::parse("100.96.0.0/11").value(),
                   .dataplane_mode = DataplaneMode::Routed};
  std::vector<RangeEntry> entries;
  for (std::uint32_t owner = 0; owner < 100'000; ++owner)
    entries.push_back({&pods, {}, owner});
  const auto groups = search(entries, {}, 5, Severity::Warning);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].impact.rule->id, "overlap-routes-contested");
  EXPECT_EQ(groups[0].pairs, std::uint64_t{100'000} * 99'999 / 2);
  EXPECT_EQ(groups[0].owners, 100'000u);
  EXPECT_EQ(groups[0].listed.size(), 5u);
}

/// Whose pairs fill a list of their own: nobody looks at all others for more.
TEST(Search, ListsAPairThatIsAskedAboutAmongMany) {
  const Range hidden{.cidr = Ipv4Prefix::parse("100.96.0.0/11").value(),
                     .dataplane_mode = DataplaneMode::Overlay};
  Range routed = hidden;
  routed.dataplane_mode = DataplaneMode::Routed;
  std::vector<RangeEntry> entries;
  for (std::uint32_t owner = 0; owner < 100'000; ++owner)
    entries.push_back({&hidden, {}, owner});
  entries.front() = {&routed, {}, 0, true};
  const auto groups = search(entries, {}, 5, Severity::Warning);
  ASSERT_EQ(groups.size(), 2u);
  for (const PairGroup& group : groups) {
    const bool is_asked = group.impact.rule->id == "overlap-routes-capture-overlay";
    EXPECT_EQ(group.pairs, is_asked ? 99'999 : std::uint64_t{99'999} * 99'998 / 2);
    EXPECT_EQ(group.listed.size(), is_asked ? 5u : 0u);
  }
}

}  // namespace search_test

}  // namespace overlane::overlap

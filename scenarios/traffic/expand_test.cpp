#include "scenarios/traffic/expand.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "topologies/graph/testing/shoots.h"

namespace overlane::traffic {

namespace pairs_test {

using run::PodPair;
using spec::Pattern;

class Pairs : public testing::Test {
 protected:
  explicit Pairs(std::uint32_t nodes = 5, std::uint32_t pods = 4)
      : shoot_(graph::testing::routed_shoot()),
        topology_(graph::Topology::build({.shoot = &shoot_, .nodes = nodes, .pods_per_node = pods})
                      .value()) {}

  Result<std::vector<PodPair>> pairs(const spec::Traffic& traffic, std::uint64_t seed = 1) {
    return pairs_of(traffic, {topology_, Family::Ipv4}, RandomStream(seed, StreamUse::Pattern, 0),
                    notes_);
  }
  /// The index of a pod on its node.
  std::uint32_t number(const run::PodEnd& pod) const {
    const auto range = topology_.pods_of(pod.node);
    for (std::uint32_t i = 0; i < range.count; ++i)
      if (topology_.pods()[range.first + i].address.ipv4 == pod.address) return i;
    ADD_FAILURE() << "no pod of that node";
    return 0;
  }
  void expect_size(const spec::Traffic& traffic) {
    const std::uint64_t flows = traffic.pattern == Pattern::HotSpot ? 1 : traffic.flows;
    EXPECT_EQ(pairs(traffic)->size() * flows, flows_of(traffic, topology_.nodes().size()));
  }

  effective::EffectiveDataplane shoot_;
  graph::Topology topology_;
  Findings notes_;
};

spec::Traffic traffic(Pattern pattern, std::uint32_t pods = 1, std::uint32_t flows = 1) {
  return {.name = "t", .pattern = pattern, .pods_per_node = pods, .flows = flows};
}

TEST_F(Pairs, CountMatchesFlowsOf) {
  for (const Pattern pattern :
       {Pattern::Ring, Pattern::AllToAll, Pattern::Incast, Pattern::Permutation, Pattern::HotSpot})
    for (const std::uint32_t pods : {1u, 3u})
      for (const std::uint32_t flows : {1u, 7u})
        expect_size(traffic(pattern, pods, flows));
  expect_size(traffic(Pattern::Pair, 1, 7));
}

TEST_F(Pairs, AreDistinctAndBetweenDifferentNodes) {
  for (const Pattern pattern :
       {Pattern::Pair, Pattern::Ring, Pattern::AllToAll, Pattern::Incast, Pattern::Permutation}) {
    const auto list = pairs(traffic(pattern, pattern == Pattern::Pair ? 1 : 3)).value();
    EXPECT_EQ(std::set(list.begin(), list.end()).size(), list.size());
    for (const PodPair& pair : list)
      EXPECT_NE(pair.source.node, pair.destination.node);
  }
}

TEST_F(Pairs, OfARingConnectEachPodToTheSamePodOfTheNextNode) {
  for (const auto list = pairs(traffic(Pattern::Ring, 3)).value(); const PodPair& pair : list) {
    EXPECT_EQ(pair.destination.node, (pair.source.node + 1) % 5);
    EXPECT_EQ(number(pair.destination), number(pair.source));
  }
}

TEST_F(Pairs, OfAnIncastEndAtOnePod) {
  for (const auto list = pairs(traffic(Pattern::Incast, 3)).value(); const PodPair& pair : list) {
    EXPECT_NE(pair.source.node, 0u);
    EXPECT_EQ(pair.destination, pairs(traffic(Pattern::Incast)).value()[0].destination);
  }
}

TEST_F(Pairs, OfAPermutationSendOnceAndReceiveOnceFromEachPod) {
  std::set<std::vector<PodPair>> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto list = pairs(traffic(Pattern::Permutation, 3), seed).value();
    std::set<run::PodEnd> sources;
    std::set<run::PodEnd> destinations;
    for (const PodPair& pair : list) {
      sources.insert(pair.source);
      destinations.insert(pair.destination);
      EXPECT_EQ(number(pair.source), number(pair.destination));
    }
    EXPECT_EQ(sources.size(), list.size());
    EXPECT_EQ(sources, destinations);
    EXPECT_EQ(list, pairs(traffic(Pattern::Permutation, 3), seed).value());
    seen.insert(list);
  }
  EXPECT_GT(seen.size(), 15u) << "seeds differ";
}

/// Five nodes have 44 permutations without fixed points.
TEST_F(Pairs, PermutationsAreUniformlyDistributed) {
  constexpr int kDraws = 44 * 200;
  std::map<std::vector<PodPair>, int> counts;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed)
    ++counts[pairs(traffic(Pattern::Permutation), seed).value()];
  EXPECT_EQ(counts.size(), 44u);
  double chi_squared = 0;
  for (const auto& [list, count] : counts)
    chi_squared += (count - 200.0) * (count - 200.0) / 200;
  EXPECT_LT(chi_squared, 99.6) << "exceeded once in a million with 43 degrees of freedom";
}

TEST_F(Pairs, OfAHotSpotHaveTheExactShareToTheFirstNode) {
  for (const std::int64_t ppm : {0, 250'000, 333'333, 500'000, 1'000'000}) {
    spec::Traffic hot = traffic(Pattern::HotSpot, 2, 50);
    hot.hot_ppm = ppm;
    std::map<std::uint32_t, int> to;
    int from_hot = 0;
    for (const auto list = pairs(hot).value(); const PodPair& pair : list) {
      EXPECT_NE(pair.source.node, pair.destination.node);
      EXPECT_EQ(number(pair.source), number(pair.destination));
      if (pair.source.node == 0)
        ++from_hot;
      else
        ++to[pair.destination.node];
    }
    EXPECT_EQ(from_hot, 100);
    EXPECT_EQ(to[0], (400 * ppm + 500'000) / 1'000'000) << ppm;
    // The rest is uniform: binomial, at most 5 · √75 from 100 of 400 for each node.
    for (std::uint32_t node = 1; node < 5; ++node)
      EXPECT_NEAR(to[node], (400 - to[0]) / 4, 44) << ppm;
  }
}

TEST_F(Pairs, RequireEnoughPodsPerNode) {
  const auto refused = pairs(traffic(Pattern::Ring, 5));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "too-few-pods");
  EXPECT_EQ(refused.error().message, "traffic \"t\" wants 5 pods of each node, and node-1 has 4");
  EXPECT_FALSE(refused.error().hint.empty());
}

class TwoNodes : public Pairs {
 protected:
  TwoNodes() : Pairs(2, 1) {}
};

TEST_F(TwoNodes, HaveOnePermutationAndNoHotSpot) {
  const auto list = pairs(traffic(Pattern::Permutation)).value();
  EXPECT_EQ(list[0].destination, list[1].source);
  spec::Traffic hot = traffic(Pattern::HotSpot);
  EXPECT_EQ(pairs(hot).error().rule, "too-few-nodes");
  hot.hot_ppm = 1'000'000;
  EXPECT_EQ(pairs(hot)->size(), 2u);
}

TEST_F(Pairs, OfAScenarioDependOnItsSeed) {
  const auto groups = [&](std::uint64_t seed) {
    return expand({traffic(Pattern::Permutation, 4), traffic(Pattern::Permutation, 4)}, topology_,
                  Family::Ipv4, seed, notes_)
        .value();
  };
  EXPECT_EQ(groups(1)[0].pairs, groups(1)[0].pairs);
  EXPECT_NE(groups(1)[0].pairs, groups(2)[0].pairs);
  EXPECT_NE(groups(1)[0].pairs, groups(1)[1].pairs) << "each group draws its own";
}

TEST_F(Pairs, OfNodesAreThoseOfTheirPods) {
  for (const bool from_node : {false, true}) {
    spec::Traffic nodes = traffic(Pattern::Incast);
    nodes.from_node = from_node;
    nodes.to_node = true;
    const auto groups =
        expand({traffic(Pattern::Incast), nodes}, topology_, Family::Ipv4, 1, notes_);
    const auto& [of_pods, of_nodes] = std::tie(groups->at(0), groups->at(1));
    EXPECT_TRUE(of_nodes.to_node && of_nodes.from_node == from_node);
    EXPECT_FALSE(of_pods.to_node || of_pods.from_node);
    for (std::size_t i = 0; i < of_pods.pairs.size(); ++i) {
      const auto& [source, destination] = of_nodes.pairs[i];
      EXPECT_EQ(destination.node, of_pods.pairs[i].destination.node);
      EXPECT_EQ(destination.address, topology_.nodes()[destination.node].addresses.ipv4->address);
      EXPECT_EQ(source == of_pods.pairs[i].source, !from_node);
    }
  }
}

}  // namespace pairs_test

}  // namespace overlane::traffic

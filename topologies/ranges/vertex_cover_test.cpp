#include "topologies/ranges/vertex_cover.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::ranges {

namespace vertex_cover_test {

using Vertices = std::vector<std::uint32_t>;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Nothing forced, each weighs 1.
ConflictGraph graph_of(std::size_t vertices, Edges edges, std::vector<Vertices> cliques = {}) {
  return {vertices, std::move(edges), std::move(cliques), std::vector<bool>(vertices),
          std::vector<std::uint64_t>(vertices, 1)};
}

bool covers(const ConflictGraph& graph, const std::vector<bool>& taken) {
  for (std::size_t vertex = 0; vertex < graph.vertices; ++vertex) {
    if (graph.forced[vertex] && !taken[vertex]) return false;
  }
  for (const auto& [a, b] : graph.edges) {
    if (!taken[a] && !taken[b]) return false;
  }
  for (Vertices clique : graph.cliques) {
    std::sort(clique.begin(), clique.end());
    clique.erase(std::unique(clique.begin(), clique.end()), clique.end());
    if (std::count_if(clique.begin(), clique.end(), [&](auto v) { return !taken[v]; }) > 1) {
      return false;
    }
  }
  return true;
}

std::vector<bool> taken_of(const ConflictGraph& graph, const Vertices& cover) {
  std::vector<bool> taken(graph.vertices);
  for (const std::uint32_t vertex : cover)
    taken[vertex] = true;
  return taken;
}

/// Searches all subsets.
Vertices slowly(const ConflictGraph& graph) {
  std::tuple<std::size_t, std::uint64_t, Vertices> best{graph.vertices + 1, 0, {}};
  for (std::uint32_t subset = 0; subset < 1u << graph.vertices; ++subset) {
    Vertices cover;
    std::uint64_t weight = 0;
    for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex) {
      if ((subset >> vertex & 1) == 0) continue;
      cover.push_back(vertex);
      weight += graph.weights[vertex];
    }
    if (cover.size() > std::get<0>(best) || !covers(graph, taken_of(graph, cover))) continue;
    best = std::min(best, {cover.size(), weight, cover});
  }
  return std::get<2>(best);
}

ConflictGraph random_graph(RandomStream& random, std::uint32_t vertices, std::size_t edges,
                           std::size_t cliques) {
  ConflictGraph graph = graph_of(vertices, {});
  const auto any = [&] { return static_cast<std::uint32_t>(random.below(vertices)); };
  for (std::size_t i = 0; i < edges; ++i) {
    const std::uint32_t a = any();
    const std::uint32_t b = any();
    if (a != b || random.below(8) == 0) graph.edges.emplace_back(a, b);
  }
  for (std::size_t i = 0; i < cliques; ++i) {
    graph.cliques.emplace_back(random.below(vertices));
    for (std::uint32_t& vertex : graph.cliques.back())
      vertex = any();
  }
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    graph.forced[vertex] = random.below(10) == 0;
    graph.weights[vertex] = random.below(4);
  }
  return graph;
}

struct Case {
  const char* what;
  ConflictGraph graph;
  Vertices cover;
};

TEST(SmallestCover, HasFewestThenLightestThenFirst) {
  ConflictGraph heavy = graph_of(2, {{0, 1}});
  heavy.weights = {2, 1};
  ConflictGraph forced = graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  forced.forced[0] = true;
  ConflictGraph heavy_clique = graph_of(3, {}, {{0, 1, 2}});
  heavy_clique.weights = {7, 1, 1};
  const std::vector<Case> cases = {
      {"nothing", graph_of(0, {}), {}},
      {"no conflict", graph_of(3, {}), {}},
      {"one conflict", graph_of(2, {{1, 0}}), {0}},
      {"the lighter of two", heavy, {1}},
      {"a star", graph_of(5, {{0, 4}, {1, 4}, {2, 4}, {3, 4}}), {4}},
      {"a path", graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {1, 3}},
      {"a forced one does the work of others", forced, {0, 2}},
      {"a conflict with itself", graph_of(2, {{1, 1}}), {1}},
      {"a triangle by edges", graph_of(3, {{0, 1}, {1, 2}, {0, 2}}), {0, 1}},
      {"a triangle as a group", graph_of(3, {}, {{2, 1, 0, 1}}), {0, 1}},
      {"the heaviest of a group stays", heavy_clique, {1, 2}},
      {"groups that share one", graph_of(5, {}, {{0, 1, 2}, {2, 3, 4}}), {0, 2, 3}},
      {"a group of one", graph_of(1, {}, {{0, 0}}), {}},
  };
  for (const Case& each : cases) {
    const Cover cover = smallest_cover(each.graph);
    EXPECT_EQ(cover.vertices, each.cover) << each.what;
    EXPECT_TRUE(cover.exact) << each.what;
  }
}

TEST(SmallestCover, IsTheBestOfAllSubsets) {
  RandomStream random(1, StreamUse::Pattern, 0);
  for (int i = 0; i < 400; ++i) {
    const auto vertices = static_cast<std::uint32_t>(1 + random.below(12));
    const ConflictGraph graph =
        random_graph(random, vertices, random.below(2 * vertices), random.below(3));
    const Cover cover = smallest_cover(graph);
    ASSERT_TRUE(cover.exact);
    ASSERT_EQ(cover.vertices, slowly(graph));
  }
}

/// Greedy covers too: none of their vertices can be left out.
TEST(SmallestCover, IsIrreducible) {
  RandomStream random(2, StreamUse::Pattern, 0);
  int greedy = 0;
  for (int i = 0; i < 200; ++i) {
    const auto vertices = static_cast<std::uint32_t>(2 + random.below(80));
    const ConflictGraph graph =
        random_graph(random, vertices, random.below(2 * vertices), random.below(5));
    const Cover cover = smallest_cover(graph, random.below(20));
    greedy += cover.exact ? 0 : 1;
    std::vector<bool> taken = taken_of(graph, cover.vertices);
    ASSERT_TRUE(covers(graph, taken));
    for (const std::uint32_t vertex : cover.vertices) {
      taken[vertex] = false;
      ASSERT_FALSE(covers(graph, taken)) << vertex;
      taken[vertex] = true;
    }
  }
  EXPECT_GT(greedy, 50);
}

TEST(SmallestCover, LeavesTheHeaviestOfALargeGroup) {
  Vertices all(10'000);
  std::iota(all.begin(), all.end(), 0);
  ConflictGraph graph = graph_of(all.size(), {}, {all});
  graph.weights[5000] = graph.weights[7000] = 3;
  const Cover cover = smallest_cover(graph);
  EXPECT_TRUE(cover.exact);
  std::erase(all, 7000);
  EXPECT_EQ(cover.vertices, all);
}

TEST(SmallestCover, TakesALargeGroupWhoseMembersAllDiffer) {
  constexpr std::uint32_t kGroup = 10'000;
  ConflictGraph graph = graph_of(2 * kGroup, {}, {Vertices(kGroup)});
  std::iota(graph.cliques[0].begin(), graph.cliques[0].end(), 0);
  for (std::uint32_t i = 0; i < kGroup; ++i)
    graph.edges.emplace_back(i, kGroup + i);
  const Cover cover = smallest_cover(graph);
  EXPECT_FALSE(cover.exact);
  EXPECT_EQ(cover.vertices.size(), kGroup);
  EXPECT_TRUE(covers(graph, taken_of(graph, cover.vertices)));
}

}  // namespace vertex_cover_test

}  // namespace overlane::ranges

#include "topologies/ranges/vertex_cover.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>

#include "topologies/ranges/conflicts.h"
#include "topologies/ranges/cover_of_part.h"

namespace overlane::ranges {
namespace {

/// Vertices of the same cliques and edges are in conflict with each other and with the same others:
/// a cover has all of them or all but one, which may as well be the heaviest, then the highest.
/// Takes the others.
void take_twins(const Conflicts& conflicts, const std::vector<std::uint64_t>& weights,
                std::vector<bool>& taken) {
  std::vector<std::uint32_t> order(taken.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::uint32_t v) { return conflicts.cliques_of[v].empty(); });
  const auto conflicts_of = [&](std::uint32_t v) {
    return std::tie(conflicts.cliques_of[v], conflicts.neighbours[v]);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (conflicts_of(a) != conflicts_of(b)) return conflicts_of(a) < conflicts_of(b);
    return std::tie(weights[a], a) < std::tie(weights[b], b);
  });
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    taken[order[i]] = conflicts_of(order[i]) == conflicts_of(order[i + 1]);
}

}  // namespace

Cover smallest_cover(const ConflictGraph& graph, std::size_t exact_up_to) {
  assert(graph.forced.size() == graph.vertices && graph.weights.size() == graph.vertices);
  std::vector<bool> taken = graph.forced;
  for (const auto& [a, b] : graph.edges) {
    if (a == b) taken[a] = true;
  }
  take_twins(Conflicts(graph, taken), graph.weights, taken);

  const auto take = [&](const std::vector<std::uint32_t>& vertices) {
    for (const std::uint32_t vertex : vertices)
      taken[vertex] = true;
  };
  const Conflicts left(graph, taken);
  std::vector<std::vector<std::uint32_t>> large;
  for (std::vector<std::uint32_t>& part : left.parts()) {
    if (part.size() > std::min<std::size_t>(exact_up_to, 64)) {
      large.push_back(std::move(part));
    } else {
      take(exact_cover(left, part, graph.weights));
    }
  }
  take(greedy_cover(left, large, graph.weights));

  Cover cover{{}, large.empty()};
  for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex) {
    if (taken[vertex]) cover.vertices.push_back(vertex);
  }
  return cover;
}

}  // namespace overlane::ranges

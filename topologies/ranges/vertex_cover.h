#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace overlane::ranges {

/// Who is in conflict with whom, by index.
struct ConflictGraph {
  std::size_t vertices = 0;
  /// Two that are in conflict. A vertex with itself: it must be in the cover.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  /// Groups of which any two are in conflict, as all that have the same range: 10,000 of them are
  /// one group, but 50 million edges.
  std::vector<std::vector<std::uint32_t>> cliques;
  /// By vertex: must be in the cover, as what is in conflict with something that cannot move.
  std::vector<bool> forced;
  /// By vertex: what it costs to take it.
  std::vector<std::uint64_t> weights;
};

/// Vertices that touch every edge, ascending.
struct Cover {
  std::vector<std::uint32_t> vertices;
  /// Whether none is smaller, none as small is lighter, and of those this is the first.
  bool exact = true;
};

/// The smallest cover: fewest vertices, then least weight, then first by comparing indices. Without
/// the forced ones, and with one vertex for all of the same cliques and edges, the graph falls into
/// connected parts. Those of at most `exact_up_to` vertices (and at most 64) are solved exactly. In
/// larger ones the vertex with most conflicts that are left is taken again and again (each edge and
/// each clique counts; then the lightest, then the lowest), and then what is not needed is dropped,
/// so that no vertex can be left out of a cover.
Cover smallest_cover(const ConflictGraph& graph, std::size_t exact_up_to = 20);

}  // namespace overlane::ranges

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// The smallest set of vertices that touches every edge of a conflict graph (minimum vertex cover,
// which is NP-hard). `overlane overlap --plan` uses it to re-create as few shoots as possible.
// Connected parts of the graph are independent: small parts are solved exactly by branching, larger
// ones greedily, so that every vertex of the result is necessary. Groups of vertices that are all
// in conflict with each other are stored as cliques, because their edges would be too many. The
// functions have no state and may run on any thread.
namespace overlane::ranges {

/// Conflicts between vertices, by index.
struct ConflictGraph {
  std::size_t vertices = 0;
  /// Pairs of vertices in conflict. A vertex in conflict with itself must be in the cover.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  /// Groups in which every pair is in conflict, such as shoots with the same range: 10,000 of them
  /// are one group, but 50 million edges.
  std::vector<std::vector<std::uint32_t>> cliques;
  /// By vertex: whether it must be in the cover, because of a conflict with something immutable.
  std::vector<bool> forced;
  /// By vertex: cost of having it in the cover.
  std::vector<std::uint64_t> weights;
};

/// Vertices that touch every edge, ascending.
struct Cover {
  std::vector<std::uint32_t> vertices;
  /// True if no smaller cover exists, no equally small one has less weight, and this is the first
  /// of these.
  bool exact = true;
};

/// The smallest cover: fewest vertices, then least weight, then first by comparing indices. Forced
/// vertices, and all but one of the vertices with the same cliques and edges, are taken first; the
/// rest of the graph consists of connected parts. Parts of at most `exact_up_to` vertices (and at
/// most 64) are solved exactly. In larger parts, the vertex with the most remaining conflicts
/// (edges and cliques; then the least weight, then the lowest index) is chosen repeatedly, and
/// unnecessary vertices are removed at the end.
Cover smallest_cover(const ConflictGraph& graph, std::size_t exact_up_to = 20);

}  // namespace overlane::ranges

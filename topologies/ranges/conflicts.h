#pragma once

#include "topologies/ranges/vertex_cover.h"

namespace overlane::ranges {

/// The rest of a graph without some vertices, by vertex and by clique. All lists are sorted.
struct Conflicts {
  std::vector<std::vector<std::uint32_t>> neighbours;  ///< By edges.
  std::vector<std::vector<std::uint32_t>> cliques;     ///< Of at least two.
  std::vector<std::vector<std::uint32_t>> cliques_of;

  Conflicts(const ConflictGraph& graph, const std::vector<bool>& without);

  bool any(std::uint32_t vertex) const {
    return !neighbours[vertex].empty() || !cliques_of[vertex].empty();
  }
  /// Connected parts of the vertices with conflicts.
  std::vector<std::vector<std::uint32_t>> parts() const;
};

}  // namespace overlane::ranges

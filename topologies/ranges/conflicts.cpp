#include "topologies/ranges/conflicts.h"

#include <algorithm>

#include "topologies/ranges/sort_unique.h"

namespace overlane::ranges {

Conflicts::Conflicts(const ConflictGraph& graph, const std::vector<bool>& without)
    : neighbours(graph.vertices), cliques_of(graph.vertices) {
  for (const auto& [a, b] : graph.edges) {
    if (without[a] || without[b]) continue;
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  for (auto& list : neighbours)
    sort_unique(list);
  for (std::vector<std::uint32_t> members : graph.cliques) {
    std::erase_if(members, [&](std::uint32_t vertex) { return without[vertex]; });
    sort_unique(members);
    if (members.size() < 2) continue;
    for (const std::uint32_t vertex : members)
      cliques_of[vertex].push_back(static_cast<std::uint32_t>(cliques.size()));
    cliques.push_back(std::move(members));
  }
}

std::vector<std::vector<std::uint32_t>> Conflicts::parts() const {
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<bool> seen(neighbours.size());
  std::vector<bool> seen_clique(cliques.size());
  for (std::uint32_t start = 0; start < neighbours.size(); ++start) {
    if (seen[start] || !any(start)) continue;
    std::vector<std::uint32_t>& part = parts.emplace_back();
    const auto reach = [&](const std::vector<std::uint32_t>& vertices) {
      for (const std::uint32_t vertex : vertices) {
        if (!seen[vertex]) part.push_back(vertex);
        seen[vertex] = true;
      }
    };
    reach({start});
    for (std::size_t next = 0; next < part.size(); ++next) {
      reach(neighbours[part[next]]);
      for (const std::uint32_t clique : cliques_of[part[next]]) {
        if (!seen_clique[clique]) reach(cliques[clique]);
        seen_clique[clique] = true;
      }
    }
    std::sort(part.begin(), part.end());
  }
  return parts;
}

}  // namespace overlane::ranges

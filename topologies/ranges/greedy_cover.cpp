#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <queue>
#include <tuple>

#include "topologies/ranges/cover_of_part.h"

namespace overlane::ranges {
namespace {

/// A vertex and how many edges it had left when it got into the queue.
struct Entry {
  std::size_t edges;
  std::uint64_t weight;
  std::uint32_t vertex;
};

struct Later {
  bool operator()(const Entry& a, const Entry& b) const {
    return std::tie(a.edges, b.weight, b.vertex) < std::tie(b.edges, a.weight, a.vertex);
  }
};

/// Vertices of the same cliques: those take the same number of conflicts from each of them, and so
/// only edges order them.
struct Peers {
  const std::vector<std::uint32_t>* cliques;
  std::priority_queue<Entry, std::vector<Entry>, Later> queue;
};

class Greedy {
 public:
  Greedy(const Conflicts& conflicts, const std::vector<std::uint64_t>& weights)
      : conflicts_(conflicts),
        weights_(weights),
        taken_(weights.size()),
        edges_(weights.size()),
        outside_(conflicts.cliques.size()),
        peers_of_(weights.size()) {}

  /// Each part once.
  void append_cover(const std::vector<std::uint32_t>& part, std::vector<std::uint32_t>& cover) {
    begin(part);
    while (const auto vertex = worst())
      take(*vertex);
    drop_unneeded(part);
    std::copy_if(part.begin(), part.end(), std::back_inserter(cover),
                 [&](std::uint32_t vertex) { return taken_[vertex]; });
  }

 private:
  void begin(const std::vector<std::uint32_t>& part) {
    peers_.clear();
    std::map<std::vector<std::uint32_t>, std::size_t> found;
    for (const std::uint32_t vertex : part) {
      const auto& cliques = conflicts_.cliques_of[vertex];
      const auto [at, is_new] = found.try_emplace(cliques, peers_.size());
      if (is_new) peers_.push_back({&cliques, {}});
      peers_of_[vertex] = at->second;
      edges_[vertex] = conflicts_.neighbours[vertex].size();
      for (const std::uint32_t clique : cliques)
        ++outside_[clique];
      queue(vertex);
    }
  }

  void queue(std::uint32_t vertex) {
    peers_[peers_of_[vertex]].queue.push({edges_[vertex], weights_[vertex], vertex});
  }

  /// The vertex to take next, if there are conflicts left.
  std::optional<std::uint32_t> worst() {
    Entry worst{0, 0, 0};
    for (Peers& peers : peers_) {
      auto& queue = peers.queue;
      while (!queue.empty() && is_stale(queue.top()))
        queue.pop();
      if (queue.empty()) continue;
      Entry first = queue.top();
      for (const std::uint32_t clique : *peers.cliques)
        first.edges += outside_[clique] - 1;
      if (first.edges > 0 && (worst.edges == 0 || Later()(worst, first))) worst = first;
    }
    if (worst.edges == 0) return std::nullopt;
    return worst.vertex;
  }
  bool is_stale(const Entry& entry) const {
    return taken_[entry.vertex] || entry.edges != edges_[entry.vertex];
  }

  void take(std::uint32_t vertex) {
    taken_[vertex] = true;
    for (const std::uint32_t neighbour : conflicts_.neighbours[vertex]) {
      if (taken_[neighbour]) continue;
      --edges_[neighbour];
      queue(neighbour);
    }
    for (const std::uint32_t clique : conflicts_.cliques_of[vertex])
      --outside_[clique];
  }

  /// The heaviest first, then the highest.
  void drop_unneeded(std::vector<std::uint32_t> order) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(weights_[a], a) > std::tie(weights_[b], b);
    });
    for (const std::uint32_t vertex : order) {
      if (!taken_[vertex] || is_needed(vertex)) continue;
      taken_[vertex] = false;
      for (const std::uint32_t clique : conflicts_.cliques_of[vertex])
        ++outside_[clique];
    }
  }
  bool is_needed(std::uint32_t vertex) const {
    const auto& neighbours = conflicts_.neighbours[vertex];
    const auto& cliques = conflicts_.cliques_of[vertex];
    return std::any_of(neighbours.begin(), neighbours.end(),
                       [&](std::uint32_t neighbour) { return !taken_[neighbour]; }) ||
           std::any_of(cliques.begin(), cliques.end(),
                       [&](std::uint32_t clique) { return outside_[clique] > 0; });
  }

  const Conflicts& conflicts_;
  const std::vector<std::uint64_t>& weights_;
  std::vector<bool> taken_;
  std::vector<std::size_t> edges_;    ///< By vertex: to others that are not taken.
  std::vector<std::size_t> outside_;  ///< By clique: members that are not taken.
  std::vector<std::size_t> peers_of_;
  std::vector<Peers> peers_;
};

}  // namespace

std::vector<std::uint32_t> greedy_cover(const Conflicts& conflicts,
                                        const std::vector<std::vector<std::uint32_t>>& parts,
                                        const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint32_t> cover;
  Greedy greedy(conflicts, weights);
  for (const std::vector<std::uint32_t>& part : parts)
    greedy.append_cover(part, cover);
  return cover;
}

}  // namespace overlane::ranges

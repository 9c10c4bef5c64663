#include "topologies/ranges/vertex_cover.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>

#include "topologies/ranges/sorting.h"

namespace overlane::ranges {

namespace {

/// A conflict graph without some of its vertices, as adjacency lists by vertex and by clique. All
/// lists are sorted.
struct Conflicts {
  std::vector<std::vector<std::uint32_t>> neighbours;  ///< By vertex: the other endpoints of its
                                                       ///< edges.
  std::vector<std::vector<std::uint32_t>> cliques;     ///< Each has at least two members.
  std::vector<std::vector<std::uint32_t>> cliques_of;

  Conflicts(const ConflictGraph& graph, const std::vector<bool>& without);

  bool any(std::uint32_t vertex) const {
    return !neighbours[vertex].empty() || !cliques_of[vertex].empty();
  }
  /// Connected parts of the vertices with conflicts.
  std::vector<std::vector<std::uint32_t>> parts() const;
};

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

/// A set of vertices of a part: bit i is the i-th vertex.
using Set = std::uint64_t;

struct Candidate {
  Set set;
  std::uint64_t weight;
};

bool is_better(const Candidate& a, const Candidate& b) {
  const int a_count = std::popcount(a.set);
  const int b_count = std::popcount(b.set);
  if (a_count != b_count) return a_count < b_count;
  if (a.weight != b.weight) return a.weight < b.weight;
  const Set lowest_difference = (a.set ^ b.set) & (~(a.set ^ b.set) + 1);
  return (a.set & lowest_difference) != 0;
}

/// Branch and bound: a vertex is in the cover, or all its neighbours are.
class Branching {
 public:
  Branching(std::vector<Set> neighbours, std::vector<std::uint64_t> weights)
      : neighbours_(std::move(neighbours)),
        weights_(std::move(weights)),
        best_(with({}, ~Set{0} >> (64 - neighbours_.size()))) {}

  Set best() {
    search({}, best_.set);
    return best_.set;
  }

 private:
  Candidate with(Candidate taken, Set more) const {
    taken.set |= more;
    for (; more != 0; more &= more - 1)
      taken.weight += weights_[static_cast<std::size_t>(std::countr_zero(more))];
    return taken;
  }

  /// `taken`: vertices in the cover. `open`: vertices that are not decided yet.
  void search(const Candidate& taken, Set open) {
    if (std::popcount(taken.set) > std::popcount(best_.set)) return;
    std::size_t most = 0;
    int most_neighbours = 0;
    for (Set rest = open; rest != 0; rest &= rest - 1) {
      const auto vertex = static_cast<std::size_t>(std::countr_zero(rest));
      const int count = std::popcount(neighbours_[vertex] & open);
      if (count > most_neighbours) {
        most = vertex;
        most_neighbours = count;
      }
    }
    if (most_neighbours == 0) {
      if (is_better(taken, best_)) best_ = taken;
      return;
    }
    const Set vertex = Set{1} << most;
    const Set around = neighbours_[most] & open;
    search(with(taken, vertex), open & ~vertex);
    search(with(taken, around), open & ~vertex & ~around);
  }

  std::vector<Set> neighbours_;
  std::vector<std::uint64_t> weights_;
  Candidate best_;
};

std::vector<std::uint32_t> exact_cover(const Conflicts& conflicts,
                                       const std::vector<std::uint32_t>& part,
                                       const std::vector<std::uint64_t>& weights) {
  const auto set_of = [&](const std::vector<std::uint32_t>& vertices) {
    Set set = 0;
    for (const std::uint32_t vertex : vertices)
      set |= Set{1} << (std::lower_bound(part.begin(), part.end(), vertex) - part.begin());
    return set;
  };
  std::vector<Set> neighbours;
  std::vector<std::uint64_t> weights_of_part;
  for (const std::uint32_t vertex : part) {
    Set set = set_of(conflicts.neighbours[vertex]);
    for (const std::uint32_t clique : conflicts.cliques_of[vertex])
      set |= set_of(conflicts.cliques[clique]);
    neighbours.push_back(set & ~set_of({vertex}));
    weights_of_part.push_back(weights[vertex]);
  }
  std::vector<std::uint32_t> cover;
  for (Set best = Branching(neighbours, weights_of_part).best(); best != 0; best &= best - 1)
    cover.push_back(part[static_cast<std::size_t>(std::countr_zero(best))]);
  return cover;
}

/// A vertex with the number of its remaining edges when it was queued.
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

/// Vertices that are in the same cliques. The cliques add the same number of conflicts to each of
/// them, so only their numbers of edges order them.
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

  /// Appends a cover of the part to `cover`. Call once for each part.
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

  /// The vertex with the most remaining conflicts; nullopt if no conflict remains.
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

  /// Drops vertices that the cover does not need: the heaviest first, then the highest index.
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
  std::vector<std::size_t> edges_;    ///< By vertex: number of edges to vertices that are not
                                      ///< taken.
  std::vector<std::size_t> outside_;  ///< By clique: number of members that are not taken.
  std::vector<std::size_t> peers_of_;
  std::vector<Peers> peers_;
};

std::vector<std::uint32_t> greedy_cover(const Conflicts& conflicts,
                                        const std::vector<std::vector<std::uint32_t>>& parts,
                                        const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint32_t> cover;
  Greedy greedy(conflicts, weights);
  for (const std::vector<std::uint32_t>& part : parts)
    greedy.append_cover(part, cover);
  return cover;
}

/// Takes all but one of the vertices with the same cliques and edges. They are in conflict with
/// each other and with the same other vertices: a cover has all of them or all but one, and the one
/// left out may be the heaviest with the highest index.
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

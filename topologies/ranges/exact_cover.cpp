#include <algorithm>
#include <bit>

#include "topologies/ranges/cover_of_part.h"

namespace overlane::ranges {
namespace {

/// A set of vertices of a part: bit i is the i-th.
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

/// Either a vertex is in the cover, or all its neighbours are.
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

  /// `open`: vertices of which nothing is decided.
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

}  // namespace

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

}  // namespace overlane::ranges

#include "topologies/overlap/plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "topologies/overlap/conflicts.h"
#include "topologies/ranges/vertex_cover.h"

namespace overlane::overlap {
namespace {

constexpr std::size_t kExactUpTo = 20;
constexpr std::size_t kMostNamed = 5;
/// Shoots that are looked at together: their conflicts with each other can be listed whole.
constexpr std::size_t kBatch = 500;

using Numbers = std::vector<std::uint32_t>;

/// Shoots that conflicts connect, directly or not.
struct Part {
  Numbers shoots;  ///< Ascending.
  ranges::ConflictGraph graph;
};

std::vector<Part> parts_of(std::size_t shoots, const Conflicts& conflicts) {
  Numbers joined(shoots);
  std::iota(joined.begin(), joined.end(), 0u);
  const auto find = [&](std::uint32_t number) {
    while (joined[number] != number)
      number = joined[number] = joined[joined[number]];
    return number;
  };
  std::vector<bool> is_in(shoots, false);
  for (const auto& [a, b] : conflicts.pairs) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    joined[high] = low;
    is_in[a] = is_in[b] = true;
  }
  for (const std::uint32_t shoot : conflicts.alone)
    is_in[shoot] = true;
  std::vector<Part> parts;
  Numbers part(shoots);    // Of each first shoot of a part …
  Numbers number(shoots);  // … and of each shoot in its part.
  for (std::uint32_t i = 0; i < shoots; ++i) {
    if (!is_in[i]) continue;
    const std::uint32_t first = find(i);
    if (first == i) {
      part[i] = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    Part& own = parts[part[first]];
    number[i] = static_cast<std::uint32_t>(own.shoots.size());
    own.shoots.push_back(i);
    ++own.graph.vertices;
    own.graph.forced.push_back(false);
  }
  for (const auto& [a, b] : conflicts.pairs)
    parts[part[find(a)]].graph.edges.push_back({number[a], number[b]});
  for (const std::uint32_t shoot : conflicts.alone)
    parts[part[find(shoot)]].graph.forced[number[shoot]] = true;
  return parts;
}

class Planner {
 public:
  Planner(const Inventory& inventory, const std::vector<Scene>& scenes, Severity threshold)
      : inventory_(inventory),
        scenes_(scenes),
        threshold_(threshold),
        chosen_(inventory.shoots.size(), false),
        exact_(inventory.shoots.size(), true) {}

  void choose() {
    std::vector<bool> created;
    for (const Shoot& shoot : inventory_.shoots)
      created.push_back(shoot.stage == effective::Stage::Live);
    choose_among(created);
    // What is left is in conflict with manifests only: these give way.
    choose_among(std::vector<bool>(created.size(), true), created);
    if (!is_whole_) give_back();
  }

  bool is_chosen(std::uint32_t shoot) const { return chosen_[shoot]; }
  bool is_exact(std::uint32_t shoot) const { return is_whole_ && exact_[shoot]; }

 private:
  /// Until none of these shoots is in conflict with another one of them. `first` stay rather than
  /// the others.
  void choose_among(std::vector<bool> takes_part, const std::vector<bool>& first = {}) {
    const auto is_first = [&](std::uint32_t shoot) { return !first.empty() && first[shoot]; };
    while (true) {
      for (std::size_t i = 0; i < chosen_.size(); ++i)
        takes_part[i] = takes_part[i] && !chosen_[i];
      Conflicts left = find(takes_part);
      if (left.pairs.empty() && left.alone.empty()) return;
      is_whole_ = is_whole_ && left.complete;
      for (const auto& [a, b] : left.pairs)
        if (is_first(a) != is_first(b)) left.alone.push_back(is_first(a) ? b : a);
      cover(left);
    }
  }

  std::vector<bool> others() const {
    std::vector<bool> others = chosen_;
    others.flip();
    return others;
  }

  Conflicts find(const std::vector<bool>& takes_part) const {
    return find_conflicts(inventory_, scenes_, takes_part, threshold_);
  }

  /// Chooses what has to go so that none of these conflicts is left.
  void cover(const Conflicts& conflicts) {
    for (Part& part : parts_of(chosen_.size(), conflicts)) {
      for (const std::uint32_t shoot : part.shoots)
        part.graph.weights.push_back(static_cast<std::uint64_t>(
            std::max<std::int64_t>(inventory_.shoots[shoot].nodes.minimum, 0)));
      const ranges::Cover cover = ranges::smallest_cover(part.graph, kExactUpTo);
      for (const std::uint32_t vertex : cover.vertices) {
        chosen_[part.shoots[vertex]] = true;
        exact_[part.shoots[vertex]] = cover.exact;
      }
    }
  }

  /// What was chosen for the sake of others that were chosen later may stay: looks at the chosen
  /// ones, some at a time, beside all that stays.
  void give_back() {
    Numbers chosen;
    for (std::uint32_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i]) chosen.push_back(i);
    for (std::size_t at = 0, size = kBatch; at < chosen.size();) {
      size = std::min(size, chosen.size() - at);
      if (give_back(std::span(chosen).subspan(at, size)) || size == 1) {
        at += size;
        size = kBatch;
      } else {
        size /= 2;
      }
    }
  }

  /// False when they have more conflicts than can be listed.
  bool give_back(std::span<const std::uint32_t> batch) {
    std::vector<bool> takes_part = others();
    for (const std::uint32_t shoot : batch)
      takes_part[shoot] = true;
    Conflicts conflicts = find(takes_part);
    if (!conflicts.complete) return false;
    for (const std::uint32_t shoot : batch)
      chosen_[shoot] = false;
    // What is in conflict with one that stays anyhow has to go.
    const auto stays = [&](std::uint32_t shoot) {
      return !std::ranges::binary_search(batch, shoot);
    };
    std::vector<bool> goes(chosen_.size(), false);
    for (const std::uint32_t shoot : conflicts.alone)
      goes[shoot] = true;
    for (const auto& [a, b] : conflicts.pairs)
      if (stays(a) || stays(b)) goes[stays(a) ? b : a] = true;
    std::erase_if(conflicts.pairs,
                  [&](const auto& pair) { return goes[pair.first] || goes[pair.second]; });
    conflicts.alone.clear();
    cover(conflicts);
    for (const std::uint32_t shoot : batch)
      chosen_[shoot] = chosen_[shoot] || goes[shoot];
    return true;
  }

  const Inventory& inventory_;
  const std::vector<Scene>& scenes_;
  Severity threshold_;
  std::vector<bool> chosen_;
  std::vector<bool> exact_;
  bool is_whole_ = true;  ///< All conflicts could be listed.
};

/// What each step changes, and for whose sake.
void add_changes(const Conflicts& conflicts, std::vector<PlanStep>& steps) {
  std::map<std::uint32_t, PlanStep*> by_shoot;
  for (PlanStep& step : steps)
    by_shoot.emplace(step.shoot, &step);
  for (const Conflicts::Involved& involved : conflicts.involved) {
    const auto found = by_shoot.find(involved.shoot);
    if (found == by_shoot.end()) continue;
    PlanStep& step = *found->second;
    const auto is_known = [&](const Change& change) {
      return change.role == involved.role && change.from == involved.cidr;
    };
    if (std::ranges::none_of(step.changes, is_known))
      step.changes.push_back({involved.role, involved.cidr, {}});
    ++step.conflicts;
    if (step.because.size() < kMostNamed &&
        std::ranges::find(step.because, involved.other) == step.because.end())
      step.because.push_back(involved.other);
  }
}

/// Of pods and services: of the size that each has, and each proposed once.
void propose(const Inventory& inventory, const Positions& positions, std::vector<PlanStep>& steps) {
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Change*>> alike;
  for (PlanStep& step : steps)
    for (Change& change : step.changes)
      if (change.from.is_ipv4() && (change.role == Role::Pods || change.role == Role::Services))
        alike[{positions.shoots[step.shoot].domain, change.from.length()}].push_back(&change);
  std::vector<IpPrefix> taken;
  for (auto& [key, changes] : alike) {
    FreeRanges free(inventory, positions, key.first);
    for (const IpPrefix& range : taken)
      free.take(range);
    const auto proposals = free.pods({.shoots = changes.size(), .length = key.second});
    for (std::size_t i = 0; i < proposals.size(); ++i) {
      changes[i]->to = proposals[i];
      taken.push_back(proposals[i]);
    }
  }
}

}  // namespace

std::vector<PlanStep> plan(const Inventory& inventory, const Positions& positions,
                           const std::vector<Scene>& scenes, Severity threshold) {
  Planner planner(inventory, scenes, threshold);
  planner.choose();
  std::vector<PlanStep> steps;
  for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
    if (planner.is_chosen(i))
      steps.push_back({.shoot = i,
                       .name = inventory.shoots[i].name(),
                       .routing_domain = positions.domains[positions.shoots[i].domain].key,
                       .created = inventory.shoots[i].stage == effective::Stage::Live,
                       .place = inventory.shoots[i].place,
                       .nodes = inventory.shoots[i].nodes.minimum,
                       .exact = planner.is_exact(i)});
  const std::vector<bool> all(inventory.shoots.size(), true);
  add_changes(find_conflicts(inventory, scenes, all, threshold), steps);
  propose(inventory, positions, steps);
  std::ranges::stable_sort(steps, {}, [](const PlanStep& step) {
    return std::pair(std::string_view(step.routing_domain), !step.created);
  });
  return steps;
}

}  // namespace overlane::overlap

#include "results/search/search.h"

#include <algorithm>
#include <cmath>

namespace overlane::search {
namespace {

/// The relevant bounds of a goal among the loads measured so far.
struct Bounds {
  std::optional<std::int64_t> lower, upper;

  bool is_between(std::int64_t load) const {
    return (!lower || load > *lower) && (!upper || load < *upper);
  }
};

/// A goal, or one in front of it that is easier to reach, and where its search is.
struct Target {
  Goal goal;
  const Target* preceding = nullptr;  ///< Of the same goal; null for the first.
  std::int64_t pending = 0;           ///< The load that is being decided about; 0: none.
  int steps = 0;                      ///< By how many powers of 2 the next step is enlarged.
  int hints = 0;                      ///< Bounds of the preceding target that were tried.
};

class Search {
 public:
  Search(const SearchInput& input, const Measure& measure) : input_(input), measure_(measure) {
    for (const Goal& goal : input.goals) {
      std::vector<Target>& targets = targets_.emplace_back();
      for (const Goal& target : targets_of(goal))
        targets.push_back({target});
      for (std::size_t i = 1; i < targets.size(); ++i)
        targets[i].preceding = &targets[i - 1];
    }
  }

  Parsed<SearchResult> run() {
    std::size_t count = 0;
    for (std::optional<Next> next = choose(); next; next = choose()) {
      if (count++ == input_.most_trials) break;
      auto trial = measure_(next->load, next->duration);
      if (!trial) return fail(std::move(trial.error()));
      result_.trials[next->load].push_back(*trial);
    }
    for (const Goal& goal : input_.goals)
      result_.goals.push_back(result_of(goal));
    return std::move(result_);
  }

 private:
  struct Next {
    std::int64_t load;
    Picos duration;
  };

  /// The next trial: for the first target of any goal that is not reached, coarse ones before fine
  /// ones. A trial may overturn any bound, so all are examined each time.
  std::optional<Next> choose() {
    std::size_t stages = 0;
    for (const std::vector<Target>& targets : targets_)
      stages = std::max(stages, targets.size());
    for (std::size_t stage = 0; stage < stages; ++stage) {
      for (std::vector<Target>& targets : targets_) {
        if (stage >= targets.size()) continue;
        Target& target = targets[stage];
        if (const auto load = next_load(target)) return Next{*load, target.goal.trial};
      }
    }
    return std::nullopt;
  }

  LoadClass class_of(std::int64_t load, const Goal& goal) const {
    const auto found = result_.trials.find(load);
    return found == result_.trials.end() ? LoadClass::Undecided : classify(found->second, goal);
  }

  Bounds bounds_of(const Goal& goal) const {
    Bounds bounds;
    for (const auto& [load, trials] : result_.trials) {
      const LoadClass is = classify(trials, goal);
      if (is == LoadClass::UpperBound) {
        bounds.upper = load;
        break;
      }
      if (is == LoadClass::LowerBound) bounds.lower = load;
    }
    return bounds;
  }

  /// Whether nothing more is to be found. Loads are whole numbers.
  bool is_done(const Bounds& bounds, const Goal& goal) const {
    if (bounds.upper && *bounds.upper <= input_.range.min) return true;
    if (!bounds.lower) return false;
    if (!bounds.upper) return *bounds.lower >= input_.range.max;
    const std::int64_t distance = *bounds.upper - *bounds.lower;
    return distance <= 1 ||
           static_cast<double>(distance) <= goal.width * static_cast<double>(*bounds.upper);
  }

  std::optional<std::int64_t> next_load(Target& target) {
    const Bounds bounds = bounds_of(target.goal);
    if (is_done(bounds, target.goal)) return std::nullopt;
    const bool still_pending = target.pending != 0 && bounds.is_between(target.pending) &&
                               class_of(target.pending, target.goal) == LoadClass::Undecided;
    if (!still_pending) target.pending = new_load(target, bounds);
    return target.pending;
  }

  /// A load between the bounds, which exist in part or not at all.
  std::int64_t new_load(Target& target, const Bounds& bounds) {
    if (const auto load = hint(target, bounds)) return *load;
    if (!bounds.lower && !bounds.upper) return input_.range.max;
    const double narrow = 1 - target.goal.width;
    if (!bounds.lower) {
      const double upper = static_cast<double>(*bounds.upper);
      const double forwarded = forwarding_rate(*bounds.upper);
      if (forwarded < upper * narrow) return inside(forwarded, bounds);
      return inside(upper * std::pow(narrow, next_step(target)), bounds);
    }
    const double lower = static_cast<double>(*bounds.lower);
    const double above = lower / std::pow(narrow, next_step(target));
    if (!bounds.upper) return inside(above, bounds);
    return inside(std::min(above, std::sqrt(lower * static_cast<double>(*bounds.upper))), bounds);
  }

  /// A bound of the preceding target, the lower one first: what smaller loads show may spare larger
  /// ones. Each is tried once: where trials scatter the preceding target's bounds follow this
  /// one's.
  std::optional<std::int64_t> hint(Target& target, const Bounds& bounds) {
    if (target.preceding == nullptr) return std::nullopt;
    const Bounds before = bounds_of(target.preceding->goal);
    for (int i = target.hints; i < 2; ++i) {
      target.hints = i + 1;
      const auto& load = i == 0 ? before.lower : before.upper;
      if (load && bounds.is_between(*load)) return load;
    }
    return std::nullopt;
  }

  /// Of widths: 1, 2, 4, …
  static double next_step(Target& target) { return std::exp2(std::min(target.steps++, 60)); }

  /// The largest forwarding rate of the trials at a load.
  double forwarding_rate(std::int64_t load) const {
    double loss = 1;
    for (const Trial& trial : result_.trials.at(load))
      loss = std::min(loss, trial.loss_ratio());
    return static_cast<double>(load) * (1 - loss);
  }

  /// The load as a whole number between the bounds, and within the range.
  std::int64_t inside(double load, const Bounds& bounds) const {
    const std::int64_t least = bounds.lower ? *bounds.lower + 1 : input_.range.min;
    const std::int64_t most = bounds.upper ? *bounds.upper - 1 : input_.range.max;
    if (load <= static_cast<double>(least)) return least;
    return load >= static_cast<double>(most) ? most : std::llround(load);
  }

  GoalResult result_of(const Goal& goal) const {
    const Bounds bounds = bounds_of(goal);
    GoalResult result{goal, Ending::Regular, bounds.lower, bounds.upper, std::nullopt};
    if (!is_done(bounds, goal)) {
      result.ending = Ending::TrialLimit;
    } else if (!bounds.upper) {
      result.ending = Ending::HoldsAtMax;
    } else if (!bounds.lower) {
      result.ending = Ending::FailsAtMin;
    }
    if (bounds.lower) {
      result.conditional_throughput =
          conditional_throughput(*bounds.lower, result_.trials.at(*bounds.lower), goal);
    }
    return result;
  }

  const SearchInput& input_;
  const Measure& measure_;
  std::vector<std::vector<Target>> targets_;  ///< Of each goal, from coarse to fine.
  SearchResult result_;
};

}  // namespace

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::Regular:
      return "regular";
    case Ending::HoldsAtMax:
      return "holds-at-max";
    case Ending::FailsAtMin:
      return "fails-at-min";
    case Ending::TrialLimit:
      return "trial-limit";
  }
  return "";
}

std::size_t SearchResult::trial_count() const {
  std::size_t count = 0;
  for (const auto& [load, of_load] : trials)
    count += of_load.size();
  return count;
}

Picos SearchResult::duration() const {
  Picos sum;
  for (const auto& [load, of_load] : trials)
    for (const Trial& trial : of_load)
      sum += trial.duration;
  return sum;
}

Parsed<SearchResult> find_loads(const SearchInput& input, const Measure& measure) {
  if (auto valid = check(input.goals); !valid) return fail(std::move(valid.error()));
  if (auto valid = check(input.range); !valid) return fail(std::move(valid.error()));
  return Search(input, measure).run();
}

}  // namespace overlane::search

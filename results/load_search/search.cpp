#include "results/load_search/search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::load_search {

namespace {

/// Number of coarser targets before a goal, as in CSIT.
constexpr int kPreceding = 2;
/// Maximum width of a target: wider bounds would not save trials.
constexpr double kMaxWidth = 0.5;

}  // namespace

std::string goal_name(double loss_ratio) {
  if (loss_ratio == kNdrLoss) return "NDR";
  if (loss_ratio == kPdrLoss) return "PDR";
  return fmt::format("loss {:.4g} %", loss_ratio * 100);
}

std::vector<Goal> GoalSet::goals() const {
  std::vector<Goal> all;
  for (const double loss : loss_ratios) {
    all.push_back({.name = goal_name(loss),
                   .loss_ratio = loss,
                   .exceed_ratio = exceed_ratio,
                   .width = width,
                   .trial = trial,
                   .duration_sum = trial * trials});
  }
  std::ranges::sort(all, {}, &Goal::loss_ratio);
  return all;
}

Parsed<void> check(std::span<const Goal> goals) {
  if (goals.empty()) return fail("there is no goal to search for");
  for (const Goal& goal : goals) {
    const auto out_of_range = [&](std::string_view what, double value, std::string_view allowed) {
      return fail(
          fmt::format("{}: {} of {:.6g} %; allowed is {}", goal.name, what, value * 100, allowed));
    };
    // Written so that NaN fails.
    if (!(goal.loss_ratio >= 0 && goal.loss_ratio < 1)) {
      return out_of_range("a loss ratio", goal.loss_ratio, "0 % to below 100 %");
    }
    if (!(goal.exceed_ratio >= 0 && goal.exceed_ratio < 1)) {
      return out_of_range("an exceed ratio", goal.exceed_ratio, "0 % to below 100 %");
    }
    if (!(goal.width > 0 && goal.width < 1)) {
      return out_of_range("a width", goal.width, "above 0 % and below 100 %");
    }
    if (goal.trial.count <= 0) return fail(goal.name + ": a trial must last longer than 0 s");
    if (goal.duration_sum < goal.trial) {
      return fail(goal.name + ": the duration sum is shorter than one trial");
    }
  }
  for (std::size_t i = 1; i < goals.size(); ++i)
    if (goals[i].name == goals[i - 1].name) return fail(goals[i].name + " is asked for twice");
  return {};
}

Parsed<void> check(const LoadRange& range) {
  if (range.min < 1) return fail("the minimum load must be at least 1 packet/s");
  if (range.min > range.max) {
    return fail(fmt::format("the minimum load of {} packets/s is above the maximum of {}",
                            range.min, range.max));
  }
  return {};
}

std::vector<Goal> targets_of(const Goal& goal) {
  std::vector<Goal> targets;
  const double growth =
      static_cast<double>(goal.duration_sum.count) / static_cast<double>(goal.trial.count);
  for (int i = 0; i < kPreceding && growth > 1; ++i) {
    Goal& target = targets.emplace_back(goal);
    const double sum = static_cast<double>(goal.trial.count) *
                       std::pow(growth, static_cast<double>(i) / kPreceding);
    target.duration_sum = {static_cast<std::int64_t>(sum)};
    target.width =
        std::min(goal.width * std::exp2(kPreceding - i), std::max(goal.width, kMaxWidth));
  }
  targets.push_back(goal);
  return targets;
}

namespace {

/// A double holds picoseconds exactly up to 2.5 hours.
double picos_of(Picos time) {
  return static_cast<double>(time.count);
}

/// Picoseconds of trials by length and loss.
struct Sums {
  double full_low = 0, full_high = 0, short_low = 0, short_high = 0;
};

Sums sums_of(std::span<const Trial> trials, const Goal& goal) {
  Sums sums;
  for (const Trial& trial : trials) {
    const bool is_high = trial.loss_ratio() > goal.loss_ratio;
    double& sum = trial.duration < goal.trial ? (is_high ? sums.short_high : sums.short_low)
                                              : (is_high ? sums.full_high : sums.full_low);
    sum += picos_of(trial.duration);
  }
  return sums;
}

}  // namespace

LoadClass classify(std::span<const Trial> trials, const Goal& goal) {
  const Sums sums = sums_of(trials, goal);
  // Short trials never prove a lower bound; their loss counts as far as it exceeds what short
  // trials without loss allow for.
  const double allowed = sums.short_low * goal.exceed_ratio / (1 - goal.exceed_ratio);
  const double high = sums.full_high + std::max(0.0, sums.short_high - allowed);
  const double whole = std::max(sums.full_low + high, picos_of(goal.duration_sum));
  const double most_high = whole * goal.exceed_ratio;
  if (high > most_high) return LoadClass::UpperBound;
  return whole - sums.full_low <= most_high ? LoadClass::LowerBound : LoadClass::Undecided;
}

double conditional_throughput(std::int64_t load, std::span<const Trial> trials, const Goal& goal) {
  std::vector<Trial> full;
  double measured = 0;
  for (const Trial& trial : trials) {
    if (trial.duration < goal.trial) continue;
    full.push_back(trial);
    measured += picos_of(trial.duration);
  }
  std::ranges::sort(full, {}, &Trial::loss_ratio);
  double remaining = std::max(measured, picos_of(goal.duration_sum)) * (1 - goal.exceed_ratio);
  double loss = 1;
  for (const Trial& trial : full) {
    if (remaining <= 0) break;
    loss = trial.loss_ratio();
    remaining -= picos_of(trial.duration);
  }
  if (remaining > 0) loss = 1;  // Trials that were not run are assumed to lose all packets.
  return static_cast<double>(load) * (1 - loss);
}

namespace {

/// The relevant bounds of a goal among the loads measured so far.
struct Bounds {
  std::optional<std::int64_t> lower, upper;

  bool is_between(std::int64_t load) const {
    return (!lower || load > *lower) && (!upper || load < *upper);
  }
};

/// A goal or a coarser one that precedes it (targets_of), and the state of its search.
struct Target {
  Goal goal;
  const Target* preceding = nullptr;  ///< The next coarser target of the goal; null for the first.
  std::int64_t pending = 0;           ///< The load that is being measured; 0: none.
  int steps = 0;                      ///< The next step is enlarged by this power of 2.
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
      if (count++ == input_.max_trials) break;
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

  /// Whether the search for a goal is finished. Loads are whole numbers.
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

  /// The next load to try between the bounds; one or both may not exist yet.
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

  /// A bound of the preceding target, the lower one first, since results of smaller loads may spare
  /// trials at larger ones. Each bound is tried once: if results scatter, the bounds of the
  /// preceding target follow those of this one.
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

  /// The length of the next step in widths: 1, 2, 4, …
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
  std::vector<std::vector<Target>> targets_;  ///< By goal; each from coarse to fine.
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

namespace {

nlohmann::ordered_json or_null(const std::optional<std::int64_t>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

nlohmann::ordered_json encode(const GoalResult& result) {
  const Goal& goal = result.goal;
  nlohmann::ordered_json json{{"name", goal.name},
                              {"loss_ratio", goal.loss_ratio},
                              {"exceed_ratio", goal.exceed_ratio},
                              {"width", goal.width},
                              {"trial_ns", goal.trial.whole_nanoseconds()},
                              {"duration_sum_ns", goal.duration_sum.whole_nanoseconds()},
                              {"ending", to_string(result.ending)}};
  json["lower_bound_pps"] = or_null(result.lower_bound);
  json["upper_bound_pps"] = or_null(result.upper_bound);
  json["conditional_throughput_pps"] = nullptr;
  if (result.conditional_throughput)
    json["conditional_throughput_pps"] = std::llround(*result.conditional_throughput);
  return json;
}

nlohmann::ordered_json encode(const SearchResult& result) {
  nlohmann::ordered_json json{{"goals", nlohmann::ordered_json::array()},
                              {"trials", result.trial_count()},
                              {"trials_ns", result.duration().whole_nanoseconds()},
                              {"loads", nlohmann::ordered_json::array()}};
  for (const GoalResult& goal : result.goals)
    json["goals"].push_back(encode(goal));
  for (const auto& [load, trials] : result.trials) {
    nlohmann::ordered_json one{{"pps", load}, {"trials", nlohmann::ordered_json::array()}};
    for (const Trial& trial : trials) {
      one["trials"].push_back({{"duration_ns", trial.duration.whole_nanoseconds()},
                               {"offered", trial.offered},
                               {"forwarded", trial.forwarded}});
    }
    json["loads"].push_back(std::move(one));
  }
  return json;
}

std::string irregularity(const GoalResult& result, const LoadRange& range) {
  switch (result.ending) {
    case Ending::Regular:
      return "";
    case Ending::HoldsAtMax:
      return fmt::format("the maximum load of {} packets/s reaches the goal; raise --max",
                         range.max);
    case Ending::FailsAtMin:
      return fmt::format("the minimum load of {} packets/s does not reach the goal; lower --min",
                         range.min);
    case Ending::TrialLimit:
      return "the trials scatter too much: the search ended at its limit of trials";
  }
  return "";
}

}  // namespace overlane::load_search

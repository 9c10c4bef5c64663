#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "results/search/goal.h"
#include "results/search/trial.h"

namespace overlane::search {

/// Offers `load` packets per second for `duration`. A failure ends the search.
using Measure = std::function<Parsed<Trial>(std::int64_t load, Picos duration)>;

/// How the search for a goal ended. All but Regular are irregular results of RFC 9971.
enum class Ending : std::uint8_t {
  Regular,     ///< Both bounds were found, within the goal's width.
  HoldsAtMax,  ///< The maximum load is a lower bound: there may be larger ones.
  FailsAtMin,  ///< The minimum load is an upper bound: no load in the range reaches the goal.
  TrialLimit,  ///< SearchInput::most_trials were not enough.
};
std::string_view to_string(Ending ending);

/// What was found for a goal. All loads are in packets per second.
struct GoalResult {
  Goal goal;
  Ending ending = Ending::Regular;
  /// The relevant lower bound: the largest lower bound below the upper one, or below anything if
  /// there is no upper one.
  std::optional<std::int64_t> lower_bound;
  std::optional<std::int64_t> upper_bound;  ///< The relevant one: the smallest upper bound.
  /// At the lower bound: what "NDR" or "PDR" is. Nothing without a lower bound.
  std::optional<double> conditional_throughput;
};

struct SearchInput {
  std::vector<Goal> goals;
  LoadRange range;
  std::size_t most_trials = 10'000;
};

struct SearchResult {
  std::vector<GoalResult> goals;                      ///< One per goal, in the order given.
  std::map<std::int64_t, std::vector<Trial>> trials;  ///< By load, each in the order measured.
  std::size_t trial_count() const;
  Picos duration() const;  ///< Of all trials.
};

/// Searches for all goals together: each trial counts for each of them. Loads are chosen by the
/// trials alone, so that the same answers of `measure` give the same search. Fails if check()
/// does, or `measure`.
Parsed<SearchResult> find_loads(const SearchInput& input, const Measure& measure);

}  // namespace overlane::search

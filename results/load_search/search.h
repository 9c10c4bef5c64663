#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"

namespace overlane::load_search {

// A search for the largest load that a device under test carries without more loss than a goal
// allows. The terms and the classification of loads are those of RFC 9971 (MLRsearch), the default
// goals those of FD.io CSIT: NDR (no drop rate) and PDR (partial drop rate). find_loads() chooses
// the loads. The caller's Measure offers each load, in a simulation or a real network, and counts
// the packets. The search itself has no randomness and no clock. It calls Measure from the calling
// thread, one trial at a time.

/// A goal of a search: the condition that the trials at a load must meet. The search finds the
/// largest load that meets it.
struct Goal {
  std::string name = "NDR";
  /// A trial that loses a larger share is a high-loss trial; 0 to below 1.
  double loss_ratio = 0;
  /// The share of the trials' total time that high-loss trials may take; 0 to below 1.
  double exceed_ratio = 0.5;
  /// The distance of the two relevant bounds, as a share of the upper one; above 0 and below 1.
  double width = 0.005;
  Picos trial = seconds(1);  ///< Length of a full-length trial; above 0.
  /// Total duration of the trials that classify one load; at least `trial`.
  Picos duration_sum = seconds(21);
};

/// The goals of CSIT: NDR (no drop rate) loses nothing, PDR (partial drop rate) at most 0.5 %.
inline constexpr double kNdrLoss = 0;
inline constexpr double kPdrLoss = 0.005;

/// "NDR", "PDR", or "loss 0.1 %".
std::string goal_name(double loss_ratio);

/// Goals that differ only in their loss ratios.
struct GoalSet {
  std::vector<double> loss_ratios{kNdrLoss, kPdrLoss};
  double exceed_ratio = Goal{}.exceed_ratio;
  double width = Goal{}.width;
  Picos trial = Goal{}.trial;
  std::uint32_t trials = 21;  ///< Number of trials per load, at least 1; gives the duration sum.

  /// The goals, in the order of their loss ratios.
  std::vector<Goal> goals() const;
};

/// Loads that a search may use, in packets per second.
struct LoadRange {
  std::int64_t min = 1;  ///< At least 1.
  std::int64_t max = 1;  ///< At least `min`.
};

/// Fails if there is no goal, a goal is given twice, or a value of a goal is out of its range.
Parsed<void> check(std::span<const Goal> goals);
/// Fails if a bound of the range is invalid.
Parsed<void> check(const LoadRange& range);

/// The goal, preceded by coarser goals that approach the result with fewer trials. Their duration
/// sums grow evenly from one trial to the goal's sum, and each width is half of the previous one
/// (CSIT's target_scaling).
std::vector<Goal> targets_of(const Goal& goal);

/// The packet counts of one trial.
struct Trial {
  Picos duration;
  std::int64_t offered = 0;    ///< At least 1.
  std::int64_t forwarded = 0;  ///< At most `offered`.

  double loss_ratio() const {
    return static_cast<double>(offered - forwarded) / static_cast<double>(offered);
  }
};

/// The classification of a load by the trials at it (RFC 9971, "Load Classification").
enum class LoadClass : std::uint8_t {
  Undecided,   ///< Further trials may still make it a lower or an upper bound.
  LowerBound,  ///< Meets the goal, whatever further trials within the duration sum would show.
  UpperBound,  ///< Does not meet the goal, whatever further trials would show.
};

/// Classifies a load by all trials at it.
LoadClass classify(std::span<const Trial> trials, const Goal& goal);

/// The expected forwarding rate at a load that is a lower bound: that of the full-length trial at
/// the quantile of the exceed ratio (RFC 9971, "Conditional Throughput"). 0 without a full-length
/// trial.
double conditional_throughput(std::int64_t load, std::span<const Trial> trials, const Goal& goal);

/// Offers `load` packets per second for `duration`. A failure ends the search.
using Measure = std::function<Parsed<Trial>(std::int64_t load, Picos duration)>;

/// How the search for a goal ended. All but Regular are irregular results of RFC 9971.
enum class Ending : std::uint8_t {
  Regular,     ///< Both bounds were found, within the goal's width.
  HoldsAtMax,  ///< The maximum load is a lower bound; larger loads may be, too.
  FailsAtMin,  ///< The minimum load is an upper bound: no load in the range reaches the goal.
  TrialLimit,  ///< SearchInput::max_trials were not enough.
};
std::string_view to_string(Ending ending);

/// The result for one goal. All loads are in packets per second.
struct GoalResult {
  Goal goal;
  Ending ending = Ending::Regular;
  /// The relevant lower bound: the largest lower bound below `upper_bound`, or the largest of all
  /// without an upper bound.
  std::optional<std::int64_t> lower_bound;
  std::optional<std::int64_t> upper_bound;  ///< The smallest upper bound.
  /// The throughput at the lower bound: the figure that reports call "NDR" or "PDR". Nothing
  /// without a lower bound.
  std::optional<double> conditional_throughput;
};

struct SearchInput {
  std::vector<Goal> goals;
  LoadRange range;
  std::size_t max_trials = 10'000;
};

struct SearchResult {
  std::vector<GoalResult> goals;                      ///< One per goal, in the order given.
  std::map<std::int64_t, std::vector<Trial>> trials;  ///< By load, each in the order measured.
  std::size_t trial_count() const;
  Picos duration() const;  ///< Total duration of all trials.
};

/// Searches for all goals together: each trial counts for every goal. The choice of loads depends
/// only on the results of trials, so that the same results of `measure` give the same search. Fails
/// if check() or `measure` fails.
Parsed<SearchResult> find_loads(const SearchInput& input, const Measure& measure);

// The JSON and the explanations of a search result, as reports of load searches contain them.

/// The goal and its result, as an entry of a report's `goals[]`. Rates are rounded to whole packets
/// per second; bounds that were not found are null.
nlohmann::ordered_json encode(const GoalResult& result);

/// `goals`, `trials` (their number), `trials_ns` and `loads` with each trial.
nlohmann::ordered_json encode(const SearchResult& result);

/// Why a result is irregular and what to do about it, in terms of the options --min and --max;
/// empty if it is regular.
std::string irregularity(const GoalResult& result, const LoadRange& range);

}  // namespace overlane::load_search

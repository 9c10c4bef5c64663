#include "results/search/goal.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace overlane::search {
namespace {

/// Targets in front of a goal, as CSIT's.
constexpr int kPreceding = 2;
/// Between wider bounds nothing is gained by a target of its own.
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
    // Written so that what is no number fails.
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

}  // namespace overlane::search

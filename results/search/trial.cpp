#include "results/search/trial.h"

#include <algorithm>
#include <vector>

namespace overlane::search {
namespace {

/// Exact up to 2.5 hours.
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
  if (remaining > 0) loss = 1;  // Trials that are missing may lose everything.
  return static_cast<double>(load) * (1 - loss);
}

}  // namespace overlane::search

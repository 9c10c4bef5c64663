#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "results/model/suite_run.h"

namespace overlane::stats::testing {

/// Normally distributed numbers around 0 (Box and Muller, 1958). Equal entities give equal numbers.
std::vector<double> normal_numbers(std::uint64_t entity, std::size_t count);

/// Synthetic nights of a suite with one case and one time. The rounds of each night alternate with
/// those of a base build; in runs(), the base's run follows the night's.
struct Nights {
  std::uint64_t entity = 0;
  std::size_t count = 14;
  std::size_t rounds = 8;
  double noise = 0.01;  ///< Standard deviation of each sample.
  /// Additional standard deviation of a night's ratio: noise that alternation does not remove.
  double night_noise = 0.005;
  /// The time of the changed build in a night, relative to the base.
  std::function<double(std::size_t night)> time = [](std::size_t) { return 1.0; };
  /// The slowness of the machine in a night; the yardsticks change with it.
  std::function<double(std::size_t night)> machine = [](std::size_t) { return 1.0; };

  std::vector<model::SuiteRun> runs() const;
};

}  // namespace overlane::stats::testing

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "results/model/suite_run.h"

namespace overlane::stats::testing {

/// Normally distributed numbers around 0 (Box and Muller, 1958), the same for the same entity.
std::vector<double> normal_numbers(std::uint64_t entity, std::size_t count);

/// Nights of a suite with one case and one time, each beside a base build; the base's run follows
/// the night's.
struct Nights {
  std::uint64_t entity = 0;
  std::size_t count = 14;
  std::size_t rounds = 8;
  double noise = 0.01;  ///< Standard deviation of each sample.
  /// Standard deviation of a night's ratio in addition: noise that alternation does not even out.
  double night_noise = 0.005;
  /// The time of the changed build on a night, the base's being 1.
  std::function<double(std::size_t night)> time = [](std::size_t) { return 1.0; };
  /// How slow the machine is on a night; the yardsticks see it.
  std::function<double(std::size_t night)> machine = [](std::size_t) { return 1.0; };

  std::vector<model::SuiteRun> runs() const;
};

}  // namespace overlane::stats::testing

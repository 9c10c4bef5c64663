#include "results/stats/noise.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "results/stats/judge.h"
#include "results/stats/trend.h"
#include "sim/random/stream.h"

namespace overlane::stats {

std::vector<MetricNoise> noise_of(const model::SuiteRun& base, const model::SuiteRun& same,
                                  std::size_t night_rounds) {
  assert(night_rounds > 0);
  std::vector<MetricNoise> noise;
  for (const model::CaseRun& one : same.cases) {
    const model::CaseRun* other = find_case(base, one.name);
    if (other == nullptr) continue;
    for (const model::MeasuredMetric& measured : one.metrics) {
      const model::MeasuredMetric* before = find_metric(*other, measured.metric.name);
      if (!is_time(measured.metric.tolerance) || before == nullptr) continue;
      const auto ratios = round_ratios(*before, measured);
      if (ratios.size() < night_rounds) continue;
      noise.push_back({.case_name = one.name,
                       .metric = measured.metric,
                       .rounds = ratios.size(),
                       .power = power_of(ratios, night_rounds, measured.metric.tolerance)});
    }
  }
  return noise;
}

void add_noise(const std::vector<MetricNoise>& noise, JudgementLimits& limits) {
  for (const MetricNoise& one : noise)
    limits.noise[{one.case_name, one.metric.name}] = one.power.noise_floor;
}

const MetricNoise* above_requested(const std::vector<MetricNoise>& noise,
                                   const JudgementLimits& limits) {
  const auto found = std::ranges::find_if(noise, [&](const MetricNoise& one) {
    const auto requested = limits.requested.find(one.metric.tolerance);
    return requested != limits.requested.end() && requested->second < one.power.noise_floor;
  });
  return found == noise.end() ? nullptr : &*found;
}

namespace {

using model::MeasuredMetric;

constexpr std::size_t kNights = 400;
constexpr std::size_t kSeries = 200;
constexpr std::size_t kFortnight = 14;
/// A step counts as found if this share of cases shows it.
constexpr double kFound = 0.9;

/// Draws nights: blocks of consecutive rounds.
class Nights {
 public:
  Nights(std::span<const double> ratios, std::size_t rounds)
      : ratios_(ratios), rounds_(rounds), stream_(1, StreamUse::Resamples, ratios.size()) {
    assert(rounds > 0 && ratios.size() >= rounds);
  }

  std::vector<double> next(double slower) {
    const std::size_t first = stream_.below(ratios_.size() - rounds_ + 1);
    std::vector<double> night(ratios_.begin() + static_cast<std::ptrdiff_t>(first),
                              ratios_.begin() + static_cast<std::ptrdiff_t>(first + rounds_));
    // Either of two equal builds may be the changed one, at random.
    const bool swapped = stream_.below(2) == 1;
    for (double& ratio : night)
      ratio = (swapped ? 1 / ratio : ratio) * slower;
    return night;
  }

 private:
  std::span<const double> ratios_;
  std::size_t rounds_;
  RandomStream stream_;
};

/// A run with one time, which has these values in its rounds.
model::SuiteRun run_of(const std::vector<double>& values, model::Tolerance tolerance,
                       const char* id, const char* beside) {
  MeasuredMetric measured{.metric = {.name = "time",
                                     .unit = "",
                                     .better = model::Better::Lower,
                                     .tolerance = tolerance},
                          .samples = {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    measured.samples.push_back({static_cast<std::int64_t>(i), values[i]});
  model::SuiteRun run{.id = id, .beside = beside};
  run.cases.push_back({.name = "case", .metrics = {std::move(measured)}});
  return run;
}

/// The smallest step that is found often enough.
template <typename Share>
std::optional<double> smallest_found(Share share) {
  for (const double step : kSteps)
    if (share(1 + step) >= kFound) return step;
  return std::nullopt;
}

}  // namespace

double share_worse_in_a_night(std::span<const double> round_ratios, std::size_t rounds,
                              model::Tolerance tolerance, double slower) {
  Nights nights(round_ratios, rounds);
  const model::SuiteRun base =
      run_of(std::vector<double>(rounds, 1.0), tolerance, "base", "changed");
  std::size_t worse = 0;
  for (std::size_t i = 0; i < kNights; ++i) {
    const auto judged = judge(base, run_of(nights.next(slower), tolerance, "changed", "base"));
    worse += judged.any_regression() ? 1 : 0;
  }
  return static_cast<double>(worse) / kNights;
}

double share_worse_trends(std::span<const double> round_ratios, std::size_t rounds,
                          model::Tolerance tolerance, double slower, std::size_t before,
                          std::size_t after) {
  Nights nights(round_ratios, rounds);
  std::size_t worse = 0;
  for (std::size_t series = 0; series < kSeries; ++series) {
    MetricTrend trend{.metric = {.name = "time",
                                 .unit = "",
                                 .better = model::Better::Lower,
                                 .tolerance = tolerance},
                      .of = TrendOf::Base};
    for (std::size_t night = 0; night < before + after; ++night)
      trend.points.push_back({night, median(nights.next(night < before ? 1.0 : slower))});
    analyse(trend);
    worse += trend.verdict == MetricVerdict::Worse ? 1 : 0;
  }
  return static_cast<double>(worse) / kSeries;
}

Power power_of(std::span<const double> round_ratios, std::size_t rounds,
               model::Tolerance tolerance) {
  Nights nights(round_ratios, rounds);
  std::vector<double> differences;
  for (std::size_t i = 0; i < kNights; ++i)
    differences.push_back(std::abs(median(nights.next(1)) - 1));
  std::ranges::sort(differences);
  const auto in_a_night = [&](double slower) {
    return share_worse_in_a_night(round_ratios, rounds, tolerance, slower);
  };
  const auto in_nights = [&](std::size_t count) {
    return smallest_found([&](double slower) {
      return share_worse_trends(round_ratios, rounds, tolerance, slower, count, count);
    });
  };
  return {.noise_floor = differences[kNights * 99 / 100],
          .false_alarms = in_a_night(1),
          .false_trends = share_worse_trends(round_ratios, rounds, tolerance, 1, kFortnight / 2,
                                             kFortnight / 2),
          .found_in_a_night = smallest_found(in_a_night),
          .found_in_5_nights = in_nights(5),
          .found_in_20_nights = in_nights(20)};
}

}  // namespace overlane::stats

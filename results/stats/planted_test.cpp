// Measures the share of planted slow-downs that a fortnight's trend finds. The table of
// docs/explanation/nightly.md has these shares.

#include <gtest/gtest.h>

#include "results/stats/testing/nights.h"
#include "results/stats/trend.h"

namespace overlane::stats {
namespace planted_test {

constexpr std::size_t kNights = 14;
constexpr std::size_t kFirstSlow = 7;
constexpr int kSeries = 200;

enum class Shape { Step, Drift };

/// The time of a night when the program gets `slower` times slower by step, or evenly until the
/// end.
double time_of(Shape shape, double slower, std::size_t night) {
  if (shape == Shape::Step) return night >= kFirstSlow ? 1 + slower : 1.0;
  return 1 + slower * static_cast<double>(night) / (kNights - 1);
}

struct Found {
  int in_the_last_night = 0;  ///< By the comparison with the base.
  int by_the_trend = 0;
  int step_where_it_is = 0;  ///< A step between the right two nights, whatever the verdict.
};

Found find(Shape shape, double slower) {
  Found found;
  for (int series = 0; series < kSeries; ++series) {
    const auto runs = testing::Nights{
        .entity = static_cast<std::uint64_t>(series),
        .count = kNights,
        .time = [&](std::size_t night) {
          return time_of(shape, slower, night);
        }}.runs();
    const MetricTrend trend = find_trends(runs).at(0);
    found.by_the_trend += trend.verdict == MetricVerdict::Worse ? 1 : 0;
    for (const TrendStep& step : trend.steps)
      found.step_where_it_is += step.after == 2 * kFirstSlow ? 1 : 0;
    const Judgement last = judge(runs[runs.size() - 1], runs[runs.size() - 2]);
    found.in_the_last_night += last.any_regression() ? 1 : 0;
  }
  return found;
}

int percent(int count) {
  return (100 * count + kSeries / 2) / kSeries;
}

TEST(Planted, SharesThatAreFoundAreThoseOfTheDocumentation) {
  struct Row {
    Shape shape;
    double slower;
    int last_night, trend, step;  ///< Percent.
  };
  constexpr Row kRows[] = {
      {Shape::Step, 0.00, 0, 0, 0},      {Shape::Step, 0.01, 0, 0, 0},
      {Shape::Step, 0.03, 1, 6, 38},     {Shape::Step, 0.05, 50, 55, 96},
      {Shape::Step, 0.10, 100, 100, 99}, {Shape::Drift, 0.01, 0, 0, 0},
      {Shape::Drift, 0.03, 1, 0, 0},     {Shape::Drift, 0.05, 50, 49, 0},
      {Shape::Drift, 0.10, 100, 100, 0},
  };
  for (const Row& row : kRows) {
    const Found found = find(row.shape, row.slower);
    const std::string name =
        (row.shape == Shape::Step ? "step of " : "drift to ") + std::to_string(row.slower);
    // The C library's logarithm may tip a series that is at the limit.
    EXPECT_NEAR(percent(found.in_the_last_night), row.last_night, 1) << name;
    EXPECT_NEAR(percent(found.by_the_trend), row.trend, 1) << name;
    EXPECT_NEAR(row.shape == Shape::Step ? percent(found.step_where_it_is) : 0, row.step, 1)
        << name;
  }
}

}  // namespace planted_test
}  // namespace overlane::stats

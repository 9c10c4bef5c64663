#include "sim/random/distribution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane {

namespace distribution_test {

constexpr int kDraws = 200'000;

std::vector<std::int64_t> draws(const Distribution& distribution, int count = kDraws) {
  RandomStream stream(42, StreamUse::Arrivals, 0);
  std::vector<std::int64_t> values;
  for (int i = 0; i < count; ++i)
    values.push_back(distribution.draw(stream));
  return values;
}

/// The largest distance between the distribution of `values` and `exact` (Kolmogorov and Smirnov).
template <typename Exact>
double distance(std::vector<std::int64_t> values, Exact exact) {
  std::ranges::sort(values);
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = exact(static_cast<double>(values[i]));
    const auto count = static_cast<double>(values.size());
    most = std::max({most, std::abs(expected - static_cast<double>(i) / count),
                     std::abs(expected - static_cast<double>(i + 1) / count)});
  }
  return most;
}
/// Exceeded once in a million samples: sqrt(ln(2 / 10^-6) / 2n).
const double kFarthest = std::sqrt(std::log(2e6) / 2 / kDraws);

double mean(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const std::int64_t value : values)
    sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

TEST(Distribution, AFixedOneIsAlwaysTheSame) {
  for (const std::int64_t value : draws(Distribution::fixed(1234), 100))
    EXPECT_EQ(value, 1234);
}

TEST(Distribution, ExponentialHasItsDistributionFunction) {
  constexpr double kMean = 1e12;
  const auto values = draws(Distribution::exponential(static_cast<std::int64_t>(kMean)));
  EXPECT_LT(distance(values, [](double x) { return 1 - std::exp(-x / kMean); }), kFarthest);
  // The standard deviation is the mean: five standard errors.
  EXPECT_NEAR(mean(values), kMean, 5 * kMean / std::sqrt(kDraws));
}

TEST(Distribution, ExponentialMayHaveAFractionForItsMean) {
  RandomStream stream(42, StreamUse::Arrivals, 0);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i)
    sum += static_cast<double>(draw_exponential(stream, 1'000'000, 3));
  EXPECT_NEAR(sum / kDraws, 1e6 / 3, 5 * 1e6 / 3 / std::sqrt(kDraws));
}

struct ParetoRow {
  double mean, shape, cap;
};

class Pareto : public testing::TestWithParam<ParetoRow> {
 protected:
  static Distribution make(const ParetoRow& row) {
    return Distribution::pareto(static_cast<std::int64_t>(row.mean),
                                static_cast<std::int64_t>(std::round(row.shape * 1'000)),
                                static_cast<std::int64_t>(row.cap))
        .value();
  }
};

/// The least value that belongs to a mean, by doubles: what pareto() finds in integers.
double least_value(const ParetoRow& row) {
  const auto mean_from = [&](double least) {
    const double ratio = least / row.cap;
    return least * row.shape / (row.shape - 1) * (1 - std::pow(ratio, row.shape - 1)) /
           (1 - std::pow(ratio, row.shape));
  };
  double low = 1;
  double high = row.mean;
  for (int i = 0; i < 200; ++i)
    (mean_from((low + high) / 2) < row.mean ? low : high) = (low + high) / 2;
  return low;
}

TEST_P(Pareto, HasItsDistributionFunctionMeanAndCap) {
  const ParetoRow& row = GetParam();
  const auto values = draws(make(row));
  const double least = least_value(row);
  const double whole = 1 - std::pow(least / row.cap, row.shape);
  const auto exact = [&](double x) {
    return std::clamp((1 - std::pow(least / x, row.shape)) / whole, 0.0, 1.0);
  };
  // Values are whole numbers: the density at the least value times the rounding comes on top.
  const double rounding = row.shape / least / whole / 2;
  EXPECT_LT(distance(values, exact), kFarthest + rounding);
  EXPECT_LE(static_cast<double>(*std::ranges::max_element(values)), row.cap);
  EXPECT_GE(static_cast<double>(*std::ranges::min_element(values)), std::floor(least));
  // E[x²] of the bounded distribution gives the standard error of the mean.
  const double a = row.shape;
  const double square = a == 2 ? 2 * least * least * std::log(row.cap / least) / whole
                               : a / (2 - a) / whole * std::pow(least, a) *
                                     (std::pow(row.cap, 2 - a) - std::pow(least, 2 - a));
  const double deviation = std::sqrt(square - row.mean * row.mean);
  EXPECT_NEAR(mean(values), row.mean, 5 * deviation / std::sqrt(kDraws) + 0.01);
}

INSTANTIATE_TEST_SUITE_P(Table, Pareto,
                         testing::Values(ParetoRow{100'000, 1.2, 100e6},
                                         ParetoRow{1'000, 1.05, 1e9}, ParetoRow{50'000, 2, 1e6},
                                         ParetoRow{1e9, 1.5, 1e13}, ParetoRow{1'000'000, 10, 1e13},
                                         ParetoRow{900, 3.5, 1'000}, ParetoRow{999, 10, 1'000}));

TEST(Distribution, AParetoMeanMustBePossible) {
  EXPECT_FALSE(Distribution::pareto(1'001, 1'500, 1'000)) << "above the cap";
  EXPECT_FALSE(Distribution::pareto(2, 1'050, 1'000'000'000)) << "the least would be below 1";
  EXPECT_EQ(Distribution::pareto(1'000, 1'500, 1'000), Distribution::fixed(1'000));
}

class Lognormal : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(Lognormal, HasItsDistributionFunctionAndMean) {
  const auto [expected, sigma] = GetParam();
  const auto distribution = Distribution::lognormal(
      static_cast<std::int64_t>(expected), static_cast<std::int64_t>(std::round(sigma * 1'000)));
  EXPECT_EQ(distribution.mean(), static_cast<std::int64_t>(expected));
  const auto values = draws(distribution);
  const double mu = std::log(expected) - sigma * sigma / 2;
  const auto exact = [&](double x) {
    return std::erfc((mu - std::log(x)) / sigma / std::sqrt(2)) / 2;
  };
  // Values are whole numbers, which shows where the density of 1/2 to either side of the mode is.
  const double mode = std::exp(mu - sigma * sigma);
  const double rounding = exact(mode + 0.5) - exact(std::max(mode - 0.5, 1e-9));
  EXPECT_LT(distance(values, exact), kFarthest + rounding);
  const double deviation = expected * std::sqrt(std::exp(sigma * sigma) - 1);
  EXPECT_NEAR(mean(values), expected, 5 * deviation / std::sqrt(kDraws));
}

INSTANTIATE_TEST_SUITE_P(Table, Lognormal,
                         testing::Values(std::pair{1e6, 1.0}, std::pair{1e9, 0.01},
                                         std::pair{50'000.0, 2.0}, std::pair{1e12, 1.5},
                                         std::pair{1e12, 3.0}, std::pair{1'000.0, 0.25}));

TEST(Distribution, AnEmpiricalOneIsStraightBetweenItsPoints) {
  const std::vector<Distribution::Point> points = {{1'000, 150'000'000},
                                                   {2'000, 400'000'000},
                                                   {10'000, 900'000'000},
                                                   {1'000'000, 1'000'000'000}};
  const auto distribution = Distribution::empirical(points);
  EXPECT_EQ(distribution.mean(), 150 + 375 + 3'000 + 50'500);
  const auto values = draws(distribution);
  double before = 0;
  for (const auto& [value, cumulative] : points) {
    const auto share = static_cast<double>(std::ranges::count_if(
                           values, [&](std::int64_t drawn) { return drawn <= value; })) /
                       kDraws;
    EXPECT_NEAR(share, cumulative / 1e9, kFarthest) << value;
    EXPECT_GE(share, before);
    before = share;
  }
  EXPECT_EQ(*std::ranges::min_element(values), 1'000);
  EXPECT_NEAR(mean(values), 54'025, 5 * 170'000 / std::sqrt(kDraws));
  // Between the last two points it is uniform.
  std::vector<std::int64_t> tail;
  std::ranges::copy_if(values, std::back_inserter(tail), [](auto drawn) { return drawn > 10'000; });
  const double farthest = std::sqrt(std::log(2e6) / 2 / static_cast<double>(tail.size()));
  EXPECT_LT(distance(tail, [](double x) { return (x - 1e4) / 99e4; }), farthest);
  for (const std::int64_t value : draws(Distribution::empirical({{7, 1'000'000'000}}), 100))
    EXPECT_EQ(value, 7);
}

TEST(Distribution, DrawsWhatItDrewOnOtherMachines) {
  RandomStream stream(1, StreamUse::Arrivals, 7);
  std::uint64_t sum = 0;
  for (int i = 0; i < 1'000; ++i) {
    sum = sum * 31 + static_cast<std::uint64_t>(Distribution::exponential(1'000'000).draw(stream));
    sum = sum * 31 +
          static_cast<std::uint64_t>(Distribution::pareto(9'000, 1'200, 1 << 30)->draw(stream));
  }
  EXPECT_EQ(sum, 11'728'348'248'476'195'585u);
  for (int i = 0; i < 1'000; ++i)
    sum = sum * 31 + static_cast<std::uint64_t>(Distribution::lognormal(9'000, 1'500).draw(stream));
  EXPECT_EQ(sum, 11'620'650'661'288'607'994u);
}

}  // namespace distribution_test

namespace logarithm_test {

constexpr long double kLogUnit = 1.0L / static_cast<long double>(std::uint64_t{1} << kLogPlaces);

// What the header promises.
const double kLogError = std::ldexp(1.0, -54);
const double kPowerError = std::ldexp(1.0, -60);

/// How far a number of our own, of this unit, is from what the library says.
double error_of(std::uint64_t own, long double unit, long double exact) {
  return static_cast<double>(std::abs(static_cast<long double>(own) * unit - exact));
}

TEST(Logarithm, OfPowersOfTwoIsExact) {
  for (std::uint64_t n = 0; n < 64; ++n) {
    EXPECT_EQ(log2_of(std::uint64_t{1} << n), n << kLogPlaces);
    EXPECT_EQ(negative_log2(std::uint64_t{1} << n), (64 - n) << kLogPlaces);
    EXPECT_EQ(half_to_the(n << kLogPlaces), n == 63 ? 0u : (std::uint64_t{1} << 63) >> n);
  }
}

TEST(Logarithm, IsThatOfTheLibrary) {
  RandomStream stream(1, StreamUse::Pattern, 0);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t fraction = (stream.next() >> stream.below(64)) | 1;
    const long double exact = 64 - std::log2(static_cast<long double>(fraction));
    ASSERT_LT(error_of(negative_log2(fraction), kLogUnit, exact), kLogError) << fraction;
    ASSERT_LT(error_of(negative_ln(fraction), kLogUnit, exact * std::log(2.0L)), kLogError)
        << fraction;
  }
}

TEST(Logarithm, PowersAreThoseOfTheLibrary) {
  RandomStream stream(1, StreamUse::Pattern, 0);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t x = stream.below(std::uint64_t{62} << kLogPlaces) >> stream.below(56);
    const long double exact = std::exp2(-static_cast<long double>(x) * kLogUnit);
    ASSERT_LT(error_of(half_to_the(x), std::ldexp(1.0L, -63), exact), kPowerError) << x;
  }
}

TEST(Logarithm, NeverFallsWhereItMustRise) {
  for (std::uint64_t number = 1; number < 300'000; ++number)
    ASSERT_LT(log2_of(number), log2_of(number + 1)) << number;
  // Across the steps of the tables, unit by unit.
  constexpr std::uint64_t kStep = std::uint64_t{1} << (kLogPlaces - 7);
  for (std::uint64_t step = 1; step < 256; ++step)
    for (std::uint64_t x = step * kStep - 100; x < step * kStep + 100; ++x)
      ASSERT_GE(half_to_the(x), half_to_the(x + 1)) << step;
}

}  // namespace logarithm_test

}  // namespace overlane

#include "sim/random/distribution.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace overlane {

namespace {

__extension__ using SignedWide = __int128;

/// Values are drawn in units of 1/65,536 and rounded, so that a small least value can be found
/// exactly.
constexpr int kFinePlaces = 16;

/// A uniform number above zero, in units of 2^-64.
std::uint64_t uniform(RandomStream& stream) {
  return stream.next() | 1;
}

/// (least / cap)^exponent, the exponent in thousandths, in units of 2^-63.
std::uint64_t ratio_to_the(std::int64_t exponent, std::uint64_t span) {
  const Wide log = Wide{span} * static_cast<std::uint64_t>(exponent) / 1'000;
  return half_to_the(static_cast<std::uint64_t>(std::min(log, Wide{63} << kLogPlaces)));
}

/// The mean of a Pareto distribution that begins at `least`, `span` below its end:
/// least · a/(a − 1) · (1 − r^(a−1)) / (1 − r^a), r = least / cap.
std::uint64_t pareto_mean(std::uint64_t least, std::uint64_t span, std::int64_t shape) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
  const Wide whole =
      Wide{least} * (kOne - ratio_to_the(shape - 1'000, span)) / (kOne - ratio_to_the(shape, span));
  return static_cast<std::uint64_t>(whole * static_cast<std::uint64_t>(shape) /
                                    static_cast<std::uint64_t>(shape - 1'000));
}

/// A standard normal number in units of 2^-56, by Marsaglia's polar method ("A convenient method
/// for generating normal variables", 1964); only one of its two numbers is used. At most 9.5.
std::int64_t draw_normal(RandomStream& stream) {
  for (;;) {
    // A point of the square around the unit disc, in units of 2^-63.
    const auto x = static_cast<std::int64_t>(stream.next());
    const auto y = static_cast<std::int64_t>(stream.next());
    const auto squared =
        static_cast<Wide>(SignedWide{x} * x) + static_cast<Wide>(SignedWide{y} * y);
    constexpr Wide kOne = Wide{1} << 126;
    const auto fraction = static_cast<std::uint64_t>(squared >> 62);
    if (squared >= kOne || fraction == 0) continue;
    const auto cosine = (SignedWide{x} << 63) / square_root(squared);
    const std::uint64_t radius = square_root(Wide{negative_ln(fraction)} << (kLogPlaces + 1));
    return static_cast<std::int64_t>(cosine * static_cast<std::int64_t>(radius) >> 63);
  }
}

}  // namespace

Distribution Distribution::lognormal(std::int64_t mean, std::int64_t sigma) {
  assert(mean >= 1 && mean <= kMaxLognormalMean && sigma >= kMinSigma && sigma <= kMaxSigma);
  Distribution result(Kind::Lognormal, mean);
  result.sigma_ = sigma;
  return result;
}

Distribution Distribution::empirical(std::vector<Point> points) {
  assert(!points.empty() && points.back().cumulative == Point::kAll);
  // Twice the mean in units of 10^-9: the mean between two points is the average of both values.
  Wide twice = 0;
  Point last{points.front().value, 0};
  for (const Point& point : points) {
    twice += Wide{point.cumulative - last.cumulative} *
             static_cast<std::uint64_t>(last.value + point.value);
    last = point;
  }
  Distribution result(Kind::Empirical, static_cast<std::int64_t>(twice / (2 * Point::kAll)));
  result.points_ = std::move(points);
  return result;
}

std::optional<Distribution> Distribution::pareto(std::int64_t mean, std::int64_t shape,
                                                 std::int64_t cap) {
  assert(mean >= 1 && cap >= 1 && cap <= kMaxCap && shape >= kMinShape && shape <= kMaxShape);
  if (mean >= cap) return mean == cap ? std::optional(fixed(cap)) : std::nullopt;
  const std::uint64_t fine_cap = static_cast<std::uint64_t>(cap) << kFinePlaces;
  const std::uint64_t fine_mean = static_cast<std::uint64_t>(mean) << kFinePlaces;
  const auto span_of = [&](std::uint64_t least) { return log2_of(fine_cap) - log2_of(least); };
  // The mean grows with the least value: find the largest least value whose mean is not too large.
  std::uint64_t low = std::uint64_t{1} << kFinePlaces;
  std::uint64_t high = fine_mean;
  if (pareto_mean(low, span_of(low), shape) > fine_mean) return std::nullopt;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (pareto_mean(middle, span_of(middle), shape) <= fine_mean ? low : high) = middle;
  }
  Distribution result(Kind::Pareto, mean);
  result.shape_ = shape;
  result.cap_ = fine_cap;
  result.span_ = span_of(low);
  result.tail_ = ratio_to_the(shape, result.span_) << 1;
  return result;
}

std::int64_t Distribution::draw(RandomStream& stream) const {
  switch (kind_) {
    case Kind::Fixed:
      return mean_;
    case Kind::Exponential:
      return std::max<std::int64_t>(1, draw_exponential(stream, mean_, 1));
    case Kind::Pareto:
      return draw_pareto(stream);
    case Kind::Lognormal:
      return draw_lognormal(stream);
    case Kind::Empirical:
      return draw_empirical(stream);
  }
  return mean_;
}

/// Inverts the distribution function: x = least · v^(−1/shape), v uniform between
/// (least / cap)^shape and 1.
std::int64_t Distribution::draw_pareto(RandomStream& stream) const {
  const Wide room = (Wide{1} << 64) - tail_;
  const auto above = static_cast<std::uint64_t>(uniform(stream) * room >> 64);
  const std::uint64_t v = std::max<std::uint64_t>(1, tail_ + above);
  const Wide log = Wide{negative_log2(v)} * 1'000 / static_cast<std::uint64_t>(shape_);
  const std::uint64_t below_cap = span_ - static_cast<std::uint64_t>(std::min(log, Wide{span_}));
  const auto fine = static_cast<std::uint64_t>(Wide{cap_} * half_to_the(below_cap) >> 63);
  const std::uint64_t rounded = (fine + (std::uint64_t{1} << (kFinePlaces - 1))) >> kFinePlaces;
  return static_cast<std::int64_t>(std::max<std::uint64_t>(1, rounded));
}

/// mean · e^(σz − σ²/2).
std::int64_t Distribution::draw_lognormal(RandomStream& stream) const {
  constexpr int kMaxPower = 60;
  const SignedWide sigma = sigma_;
  const SignedWide exponent =
      sigma * draw_normal(stream) / 1'000 - (sigma * sigma << kLogPlaces) / 2'000'000;
  const SignedWide power = static_cast<SignedWide>(log2_of(static_cast<std::uint64_t>(mean_))) +
                           (exponent * kLog2OfE >> 63);
  if (power < 0) return 1;
  if (power >= SignedWide{kMaxPower} << kLogPlaces) return std::int64_t{1} << kMaxPower;
  // 2^power is the next whole power of two, times one of 2^-1 to 1.
  const auto whole = static_cast<int>(power >> kLogPlaces) + 1;
  const auto below = static_cast<std::uint64_t>((SignedWide{whole} << kLogPlaces) - power);
  const std::uint64_t value = half_to_the(below) >> (62 - whole);
  return static_cast<std::int64_t>((value + 1) / 2);
}

std::int64_t Distribution::draw_empirical(RandomStream& stream) const {
  // A uniform number, as a share and the remainder in 2^-64 of a share's unit.
  const Wide scaled = Wide{stream.next()} * Point::kAll;
  const auto share = static_cast<std::uint32_t>(scaled >> 64);
  const auto next = std::ranges::upper_bound(points_, share, {}, &Point::cumulative);
  if (next == points_.begin()) return next->value;
  const Point& last = *(next - 1);
  const Wide into = scaled - (Wide{last.cumulative} << 64);
  const Wide part = into / (next->cumulative - last.cumulative);
  const auto room = static_cast<std::uint64_t>(next->value - last.value);
  const auto above = static_cast<std::int64_t>((part * room + (Wide{1} << 63)) >> 64);
  return last.value + above;
}

std::int64_t draw_exponential(RandomStream& stream, std::int64_t numerator,
                              std::int64_t denominator) {
  assert(numerator > 0 && denominator > 0);
  const Wide product = Wide{static_cast<std::uint64_t>(numerator)} * negative_ln(uniform(stream));
  const Wide quotient = product / static_cast<std::uint64_t>(denominator);
  const Wide rounded = (quotient + (Wide{1} << (kLogPlaces - 1))) >> kLogPlaces;
  return static_cast<std::int64_t>(std::min(rounded, Wide{1} << 61));
}

namespace {

constexpr std::uint64_t kOne63 = std::uint64_t{1} << 63;

/// The high half of a product. For two fractions in units of 2^-64, it is their product.
constexpr std::uint64_t high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(Wide{a} * b >> 64);
}

/// log2 of a mantissa in [1, 2), given in units of 2^-63, in units of 2^-56. Each squaring doubles
/// the logarithm and yields its next binary digit.
constexpr std::uint64_t log2_by_squaring(std::uint64_t mantissa) {
  std::uint64_t result = 0;
  for (int place = 1; place <= kLogPlaces; ++place) {
    const Wide square = Wide{mantissa} * mantissa;
    result <<= 1;
    if (square >> 127 != 0) {
      result |= 1;
      mantissa = static_cast<std::uint64_t>(square >> 64);
    } else {
      mantissa = static_cast<std::uint64_t>(square >> 63);
    }
  }
  return result;
}

/// Number of steps in the tables: the first seven binary places select one.
constexpr int kStepBits = 7;
constexpr std::uint64_t kSteps = 1 << kStepBits;

/// log2(1 + i/128) in units of 2^-56.
constexpr auto kLogs = [] {
  std::array<std::uint64_t, kSteps> table{};
  for (std::uint64_t i = 0; i < kSteps; ++i)
    table[i] = log2_by_squaring(kOne63 + (i << (63 - kStepBits)));
  return table;
}();

/// 2^(−i/128) in units of 2^-63: products of 2^(−1/2), 2^(−1/4), …
constexpr auto kPowers = [] {
  std::array<std::uint64_t, kSteps> table{};
  std::array<std::uint64_t, kStepBits> roots{};
  std::uint64_t root = kOne63 / 2;
  for (std::uint64_t& next : roots)
    next = root = square_root(Wide{root} << 63);
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    table[i] = kOne63;
    for (int bit = 0; bit < kStepBits; ++bit)
      if ((i >> (kStepBits - 1 - bit) & 1) != 0)
        table[i] = static_cast<std::uint64_t>(Wide{table[i]} * roots[std::size_t(bit)] >> 63);
  }
  return table;
}();

/// ln 2 in units of 2^-64.
constexpr std::uint64_t kLnOf2 = 0xb17217f7d1cf79ac;

/// 1/n in units of 2^-64.
constexpr std::uint64_t one_over(std::uint64_t n) {
  return static_cast<std::uint64_t>((Wide{1} << 64) / n);
}

/// ln(1 + r) for r < 1/128, in units of 2^-64: r − r²/2 + … + r⁷/7.
std::uint64_t ln_of_one_plus(std::uint64_t r) {
  std::uint64_t sum = one_over(7);
  for (std::uint64_t n = 6; n >= 2; --n)
    sum = one_over(n) - high(r, sum);
  return r - high(r, high(r, sum));
}

/// 1 − e^−y for y < 1/128, in units of 2^-64: y − y²/2! + … + y⁷/7!.
std::uint64_t one_minus_exp(std::uint64_t y) {
  std::uint64_t sum = one_over(7);
  for (std::uint64_t n = 6; n >= 2; --n)
    sum = one_over(n) - high(one_over(n), high(y, sum));
  return y - high(y, high(y, sum));
}

/// log2 of a mantissa in [1, 2), in units of 2^-56.
std::uint64_t log2_of_mantissa(std::uint64_t mantissa) {
  const std::uint64_t step = mantissa >> (63 - kStepBits) & (kSteps - 1);
  const std::uint64_t base = kOne63 + (step << (63 - kStepBits));
  const auto rest = static_cast<std::uint64_t>((Wide{mantissa - base} << 64) / base);
  return kLogs[step] + (high(ln_of_one_plus(rest), kLog2OfE) >> (63 - kLogPlaces));
}

}  // namespace

std::uint64_t negative_log2(std::uint64_t fraction) {
  assert(fraction > 0);
  const int zeros = std::countl_zero(fraction);
  const auto whole = static_cast<std::uint64_t>(zeros + 1) << kLogPlaces;
  return whole - log2_of_mantissa(fraction << zeros);
}

std::uint64_t negative_ln(std::uint64_t fraction) {
  return high(negative_log2(fraction), kLnOf2);
}

std::uint64_t log2_of(std::uint64_t number) {
  return (std::uint64_t{64} << kLogPlaces) - negative_log2(number);
}

std::uint64_t half_to_the(std::uint64_t x) {
  const std::uint64_t whole = x >> kLogPlaces;
  if (whole >= 63) return 0;
  const std::uint64_t step = x >> (kLogPlaces - kStepBits) & (kSteps - 1);
  const std::uint64_t rest = x << (64 - kLogPlaces + kStepBits) >> kStepBits;
  const std::uint64_t power = kPowers[step];
  return (power - high(power, one_minus_exp(high(rest, kLnOf2)))) >> whole;
}

}  // namespace overlane

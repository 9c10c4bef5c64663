#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/random/stream.h"

namespace overlane {

// Random numbers of a given distribution, for sizes of transfers and gaps between packets. All
// arithmetic is in integers, also logarithms and powers: the mathematical library's results differ
// between machines and compilers, and a simulation must not. The functions below Distribution are
// the arithmetic that it needs. Distributions are immutable values; a RandomStream belongs to one
// thread at a time.

/// A distribution of whole numbers above zero (bytes, picoseconds). The same stream gives the same
/// numbers on every platform.
class Distribution {
 public:
  enum class Kind : std::uint8_t { Fixed, Exponential, Pareto, Lognormal, Empirical };

  static constexpr std::int64_t kMaxMean = std::int64_t{1} << 52;
  static constexpr std::int64_t kMaxCap = std::int64_t{1} << 46;  ///< For Pareto.
  static constexpr std::int64_t kMinShape = 1'050;                ///< For Pareto, in thousandths.
  static constexpr std::int64_t kMaxShape = 10'000;
  static constexpr std::int64_t kMinSigma = 10;  ///< For lognormal, in thousandths.
  static constexpr std::int64_t kMaxSigma = 3'000;
  static constexpr std::int64_t kMaxLognormalMean = std::int64_t{1} << 40;

  /// Always `value`, 1…kMaxMean.
  static Distribution fixed(std::int64_t value) {
    assert(value >= 1);
    return {Kind::Fixed, value};
  }
  /// Exponential with mean `mean`, 1…kMaxMean.
  static Distribution exponential(std::int64_t mean) {
    assert(mean >= 1);
    return {Kind::Exponential, mean};
  }
  /// Bounded Pareto, cut off at `cap`: the density is proportional to x^−(shape + 1) between a
  /// least value, which is chosen so that the mean is `mean`, and `cap`. The shape is in
  /// thousandths, kMinShape…kMaxShape; mean and cap 1…kMaxCap. Returns nullopt if no least value of
  /// 1 or more has that mean.
  static std::optional<Distribution> pareto(std::int64_t mean, std::int64_t shape,
                                            std::int64_t cap);

  /// Lognormal: the logarithm is normal with standard deviation `sigma`, in thousandths,
  /// kMinSigma…kMaxSigma; the median, mean / e^(σ²/2), follows from `mean`,
  /// 1…kMaxLognormalMean. Cut off at 2^60, which lowers the mean by at most a thousandth.
  static Distribution lognormal(std::int64_t mean, std::int64_t sigma);

  /// A point of a distribution function: the share `cumulative` (in units of 10^-9) of all numbers
  /// is at most `value`.
  struct Point {
    static constexpr std::uint32_t kAll = 1'000'000'000;
    std::int64_t value = 0;
    std::uint32_t cumulative = 0;
    bool operator==(const Point&) const = default;
  };
  /// Linear between the points of a distribution function. The share of the first point has exactly
  /// its value. Requires at least one point, values 1…kMaxCap and shares that rise strictly, and
  /// kAll as the last share.
  static Distribution empirical(std::vector<Point> points);

  /// The next number of `stream`: at least 1. An exponential number is at most 45 times the mean.
  std::int64_t draw(RandomStream& stream) const;

  Kind kind() const { return kind_; }
  std::int64_t mean() const { return mean_; }

  bool operator==(const Distribution&) const = default;

 private:
  Distribution(Kind kind, std::int64_t mean) : kind_(kind), mean_(mean) {}
  std::int64_t draw_pareto(RandomStream& stream) const;
  std::int64_t draw_lognormal(RandomStream& stream) const;
  std::int64_t draw_empirical(RandomStream& stream) const;

  Kind kind_;
  std::int64_t mean_;
  std::int64_t sigma_ = 0;     ///< For lognormal.
  std::vector<Point> points_;  ///< For empirical.
  // For Pareto.
  std::int64_t shape_ = 0;
  std::uint64_t cap_ = 0;
  std::uint64_t span_ = 0;  ///< log2(cap / least value), as log2_of() gives it.
  std::uint64_t tail_ = 0;  ///< (least value / cap)^shape in units of 2^-64.
};

/// An exponential number with mean numerator / denominator, rounded to the nearest whole number and
/// cut off at 2^61: for gaps whose mean is not a whole number. Requires both > 0 and numerator <
/// 2^60.
std::int64_t draw_exponential(RandomStream& stream, std::int64_t numerator,
                              std::int64_t denominator);

/// Binary places of the logarithms below: 2^56 stands for 1.
inline constexpr int kLogPlaces = 56;

/// −log2(fraction / 2^64), at most 2^-54 off; `fraction` > 0. Between 0 and 64.
std::uint64_t negative_log2(std::uint64_t fraction);

/// −ln(fraction / 2^64), with the precision and range of negative_log2(); `fraction` > 0.
std::uint64_t negative_ln(std::uint64_t fraction);

/// log2(number), with the precision of negative_log2(); `number` > 0.
std::uint64_t log2_of(std::uint64_t number);

/// log2(e) in units of 2^-63.
inline constexpr std::uint64_t kLog2OfE = 0xb8aa3b295c17f0bc;

/// 2^-x in units of 2^-63, at most 2^-60 off; `x` as negative_log2() gives it.
std::uint64_t half_to_the(std::uint64_t x);

__extension__ using Wide = unsigned __int128;

/// ⌊√number⌋.
constexpr std::uint64_t square_root(Wide number) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    if (Wide{next} * next <= number) root = next;
  }
  return root;
}

}  // namespace overlane

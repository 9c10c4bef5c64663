#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

/// A mergeable log-linear histogram of non-negative 64-bit values, as in HdrHistogram: values below
/// 256 are exact; above, every power of two has 128 equal buckets, so a bucket is at most 1/128
/// (0.8 %) of its values wide. Minimum, maximum, count and sum are exact. Latencies of millions of
/// packets fit it in a few KB, and the operator += adds histograms of partitions, repetitions and
/// runs without loss of precision. A histogram is a value without a lock: one thread at a time may
/// use it.
class Histogram {
 public:
  /// Inline: the engine records each packet.
  void record(std::int64_t value) {
    assert(value >= 0);
    const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    ++buckets_[bucket];
    min_ = count_ == 0 ? value : std::min(min_, value);
    max_ = std::max(max_, value);
    sum_ += value;
    ++count_;
  }
  void record_all(const std::vector<std::int64_t>& values);
  Histogram& operator+=(const Histogram& other);

  std::int64_t count() const { return count_; }
  std::int64_t min() const { return min_; }
  std::int64_t max() const { return max_; }
  /// The mean, rounded down; 0 if empty.
  std::int64_t mean() const;
  /// The smallest value v such that at least `numerator`/`denominator` of the values are at most v,
  /// rounded up to the end of its bucket but not above max(). 0 if empty.
  std::int64_t quantile(std::int64_t numerator, std::int64_t denominator) const;

  /// The sum of the values in decimal digits; it may exceed 64 bits.
  std::string sum_text() const;
  /// The buckets that hold values, in ascending order, each as its largest value and its count:
  /// "255:3 1023:40" is 3 values in the bucket that ends at 255, and 40 in the bucket that ends at
  /// 1,023.
  std::string buckets_text() const;
  /// Restores a histogram from its buckets_text(), sum_text(), minimum and maximum. The error names
  /// the invalid argument.
  static Parsed<Histogram> from_text(std::string_view buckets, std::string_view sum,
                                     std::int64_t min, std::int64_t max);

  bool operator==(const Histogram&) const = default;

  /// Binary logarithm of the number of buckets per power of two.
  static constexpr int kCutBits = 7;
  /// Bucket e·128 + s, with s in 128…255, holds the values whose top eight bits are s, shifted by
  /// e; with e = 0 the same formula makes the exact buckets 0…255.
  static std::size_t bucket_of(std::uint64_t value) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kCutBits - 1);
    return (static_cast<std::size_t>(shift) << kCutBits) + static_cast<std::size_t>(value >> shift);
  }

 private:
  std::vector<std::int64_t> buckets_;  ///< Grown to the largest bucket in use.
  std::int64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  __extension__ __int128 sum_ = 0;
};

/// `min`, `mean`, `p50`, `p90`, `p99`, `p999` and `max`; null if the histogram is empty.
nlohmann::ordered_json encode_quantiles(const Histogram& histogram);

/// encode_quantiles() plus `count`, `sum` and `buckets` (Histogram::buckets_text). A reader can
/// compute other quantiles from them, or add histograms.
nlohmann::ordered_json encode(const Histogram& histogram);
Histogram decode_histogram(const JsonReader& json);
/// The JSON Schema of a histogram that is not empty.
nlohmann::ordered_json histogram_schema();

}  // namespace overlane::model

#pragma once

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
/// packets fit it in a few KB, and histograms of partitions, repetitions and runs are added with +=
/// without a loss. A value: not for use by several threads at once.
class Histogram {
 public:
  void record(std::int64_t value);
  Histogram& operator+=(const Histogram& other);

  std::int64_t count() const { return count_; }
  std::int64_t min() const { return min_; }
  std::int64_t max() const { return max_; }
  /// The mean rounded down; 0 when empty.
  std::int64_t mean() const;
  /// The smallest value v such that at least `numerator`/`denominator` of the values are at most v,
  /// rounded up to the end of its bucket but not above max(). 0 if empty.
  std::int64_t quantile(std::int64_t numerator, std::int64_t denominator) const;

  /// The sum of the values in decimal digits; it may exceed 64 bits.
  std::string sum_text() const;
  /// The buckets that hold values, in order: "255:3 1023:40" are 3 values that end up to 255 in
  /// their bucket, and 40 that end up to 1,023 in theirs.
  std::string buckets_text() const;
  /// The histogram with this buckets_text(), sum_text(), minimum and maximum. The error says which
  /// of them is wrong.
  static Parsed<Histogram> from_text(std::string_view buckets, std::string_view sum,
                                     std::int64_t min, std::int64_t max);

  bool operator==(const Histogram&) const = default;

 private:
  std::vector<std::int64_t> buckets_;  ///< Grown to the largest bucket in use.
  std::int64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  __extension__ __int128 sum_ = 0;
};

/// `min`, `mean`, `p50`, `p90`, `p99`, `p999` and `max`; null if the histogram is empty.
nlohmann::ordered_json encode_quantiles(const Histogram& histogram);

/// encode_quantiles() with `count`, `sum` and `buckets` (Histogram::buckets_text), for a reader who
/// wants other quantiles, or to add histograms.
nlohmann::ordered_json encode(const Histogram& histogram);
Histogram decode_histogram(const JsonReader& json);
/// The JSON Schema of a histogram that is not empty.
nlohmann::ordered_json histogram_schema();

}  // namespace overlane::model

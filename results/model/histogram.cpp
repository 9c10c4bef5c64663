#include "results/model/histogram.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/net/units.h"
#include "results/base/json_reader.h"

namespace overlane::model {

namespace {

/// Buckets per power of two.
constexpr std::uint64_t kCuts = std::uint64_t{1} << Histogram::kCutBits;

/// The largest value that falls into `bucket`.
std::int64_t upper_end(std::size_t bucket) {
  const std::uint64_t shift = bucket < 2 * kCuts ? 0 : bucket / kCuts - 1;
  const std::uint64_t next = (bucket - shift * kCuts + 1) << shift;
  return static_cast<std::int64_t>(next - 1);
}

/// Takes a whole number from 0 to `most` from the front of `text`.
std::optional<WideInteger> take_number(std::string_view& text, WideInteger most) {
  std::size_t digits = 0;
  WideInteger number = 0;
  while (digits < text.size() && '0' <= text[digits] && text[digits] <= '9') {
    number = number * 10 + (text[digits++] - '0');
    if (number > most) return std::nullopt;
  }
  text.remove_prefix(digits);
  return digits > 0 ? std::optional(number) : std::nullopt;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

void Histogram::record_all(const std::vector<std::int64_t>& values) {
  if (values.empty()) return;
  const auto [min, max] = std::ranges::minmax(values);
  assert(min >= 0);
  const std::size_t last = bucket_of(static_cast<std::uint64_t>(max));
  if (last >= buckets_.size()) buckets_.resize(last + 1);
  std::int64_t* const buckets = buckets_.data();
  WideInteger sum = 0;
  for (const std::int64_t value : values) {
    ++buckets[bucket_of(static_cast<std::uint64_t>(value))];
    sum += value;
  }
  min_ = count_ == 0 ? min : std::min(min_, min);
  max_ = std::max(max_, max);
  sum_ += sum;
  count_ += static_cast<std::int64_t>(values.size());
}

Histogram& Histogram::operator+=(const Histogram& other) {
  if (other.count_ == 0) return *this;
  if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i)
    buckets_[i] += other.buckets_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  count_ += other.count_;
  return *this;
}

std::int64_t Histogram::mean() const {
  return count_ == 0 ? 0 : static_cast<std::int64_t>(sum_ / count_);
}

std::int64_t Histogram::quantile(std::int64_t numerator, std::int64_t denominator) const {
  assert(0 <= numerator && numerator <= denominator && denominator > 0);
  if (count_ == 0) return 0;
  const WideInteger scaled = WideInteger{count_} * numerator + denominator - 1;
  const auto rank = std::max<std::int64_t>(1, static_cast<std::int64_t>(scaled / denominator));
  std::int64_t below = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    below += buckets_[bucket];
    if (below >= rank) return std::min(max_, upper_end(bucket));
  }
  return max_;
}

std::string Histogram::sum_text() const {
  std::string digits;
  for (WideInteger rest = sum_; rest > 0; rest /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return digits.empty() ? "0" : digits;
}

std::string Histogram::buckets_text() const {
  std::string text;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (buckets_[bucket] == 0) continue;
    if (!text.empty()) text += ' ';
    text += fmt::format("{}:{}", upper_end(bucket), buckets_[bucket]);
  }
  return text;
}

Parsed<Histogram> Histogram::from_text(std::string_view buckets, std::string_view sum,
                                       std::int64_t min, std::int64_t max) {
  constexpr WideInteger kMax = INT64_MAX;
  Histogram histogram;
  for (std::string_view rest = buckets; !rest.empty();) {
    const bool is_first = histogram.buckets_.empty();
    if (!is_first && !take(rest, ' ')) return fail("buckets are not separated by a space");
    const auto end = take_number(rest, kMax);
    const bool divided = end && take(rest, ':');
    const auto count = divided ? take_number(rest, kMax - histogram.count_) : std::nullopt;
    if (!count || *count == 0) return fail("a bucket is not END:COUNT");
    const std::size_t bucket = Histogram::bucket_of(static_cast<std::uint64_t>(*end));
    if (upper_end(bucket) != *end || bucket < histogram.buckets_.size())
      return fail(fmt::format("no bucket ends at {} here", static_cast<std::int64_t>(*end)));
    histogram.buckets_.resize(bucket + 1);
    histogram.buckets_[bucket] = static_cast<std::int64_t>(*count);
    histogram.count_ += static_cast<std::int64_t>(*count);
    if (is_first && (min < 0 || Histogram::bucket_of(static_cast<std::uint64_t>(min)) != bucket))
      return fail("the minimum is not in the first bucket");
  }
  if (histogram.count_ == 0) return fail("no bucket holds a value");
  if (max < min ||
      Histogram::bucket_of(static_cast<std::uint64_t>(max)) + 1 != histogram.buckets_.size())
    return fail("the maximum is not in the last bucket");
  const auto total = take_number(sum, kMax * kMax);
  if (!total || !sum.empty() || *total < WideInteger{min} * histogram.count_ ||
      *total > WideInteger{max} * histogram.count_)
    return fail("the sum is not one of such values");
  histogram.min_ = min;
  histogram.max_ = max;
  histogram.sum_ = *total;
  return histogram;
}

nlohmann::ordered_json encode_quantiles(const Histogram& histogram) {
  if (histogram.count() == 0) return nullptr;
  return {{"min", histogram.min()},
          {"mean", histogram.mean()},
          {"p50", histogram.quantile(50, 100)},
          {"p90", histogram.quantile(90, 100)},
          {"p99", histogram.quantile(99, 100)},
          {"p999", histogram.quantile(999, 1000)},
          {"max", histogram.max()}};
}

nlohmann::ordered_json encode(const Histogram& histogram) {
  nlohmann::ordered_json json = encode_quantiles(histogram);
  if (json.is_null()) return json;
  json["count"] = histogram.count();
  json["sum"] = histogram.sum_text();
  json["buckets"] = histogram.buckets_text();
  return json;
}

nlohmann::ordered_json histogram_schema() {
  nlohmann::ordered_json properties, required;
  const auto add = [&](const char* key, const char* type, const char* text) {
    properties[key] = {{"description", text}, {"type", type}};
    required.push_back(key);
  };
  add("min", "integer", "Smallest value, in nanoseconds.");
  add("mean", "integer", "Mean, in nanoseconds.");
  add("p50", "integer", "Median, in nanoseconds.");
  add("p90", "integer", "90th percentile, in nanoseconds.");
  add("p99", "integer", "99th percentile, in nanoseconds.");
  add("p999", "integer", "99.9th percentile, in nanoseconds.");
  add("max", "integer", "Largest value, in nanoseconds.");
  add("count", "integer", "Number of values.");
  add("sum", "string", "Sum of the values in nanoseconds, as decimal digits.");
  add("buckets", "string", "Buckets that hold values, as end:count, ends in nanoseconds.");
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Histogram decode_histogram(const JsonReader& json) {
  auto histogram = Histogram::from_text(json["buckets"].string(), json["sum"].string(),
                                        json["min"].integer(), json["max"].integer());
  if (histogram) return *std::move(histogram);
  json.fault(histogram.error());
  return {};
}

}  // namespace overlane::model

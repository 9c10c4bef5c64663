#include "results/model/histogram.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "dataplane/net/units.h"

namespace overlane::model {
namespace {

/// Buckets per power of two.
constexpr int kCutBits = 7;
constexpr std::uint64_t kCuts = std::uint64_t{1} << kCutBits;

/// Bucket e·128 + s, with s in 128…255, holds the values whose top eight bits are s, shifted by e;
/// with e = 0 the same formula makes the exact buckets 0…255.
std::size_t bucket_of(std::uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kCutBits - 1);
  return static_cast<std::size_t>(static_cast<std::uint64_t>(shift) * kCuts + (value >> shift));
}

/// The largest value that falls into `bucket`.
std::int64_t upper_end(std::size_t bucket) {
  const std::uint64_t shift = bucket < 2 * kCuts ? 0 : bucket / kCuts - 1;
  const std::uint64_t next = (bucket - shift * kCuts + 1) << shift;
  return static_cast<std::int64_t>(next - 1);
}

}  // namespace

void Histogram::record(std::int64_t value) {
  assert(value >= 0);
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += value;
  ++count_;
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

}  // namespace overlane::model

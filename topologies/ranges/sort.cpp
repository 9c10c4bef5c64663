#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "topologies/ranges/sweep.h"

namespace overlane::ranges {
namespace {

/// The bits of a word from the highest to the lowest in which claims differ.
struct Field {
  int shift = 0;
  int width = 0;

  static Field of(std::uint64_t differences) {
    if (differences == 0) return {};
    const int shift = std::countr_zero(differences);
    return {shift, 64 - std::countl_zero(differences) - shift};
  }
  /// Leaves at most so many, the highest; how many were left.
  int cut(int most) {
    const int gone = std::max(0, width - most);
    shift += gone;
    width -= gone;
    return width;
  }
  /// Puts them behind what is in `key`.
  std::uint64_t append(std::uint64_t key, std::uint64_t word) const {
    return key << width | (word >> shift & ~(~0ull << width));
  }
};

/// Keys that order claims of one family as far as their bits do.
class Keys {
 public:
  /// At most 63 bits.
  Keys(std::span<const Claim> claims, int most_bits) {
    const IpPrefix& first = claims.front().range;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t length = 0;
    for (const Claim& claim : claims) {
      high |= claim.range.network().high ^ first.network().high;
      low |= claim.range.network().low ^ first.network().low;
      length |= static_cast<std::uint64_t>(claim.range.bits() ^ first.bits());
    }
    high_ = Field::of(high);
    low_ = Field::of(low);
    length_ = Field::of(length);
    const int wanted = high_.width + low_.width + length_.width;
    bits_ = high_.cut(most_bits);
    bits_ += low_.cut(most_bits - bits_);
    bits_ += length_.cut(most_bits - bits_);
    whole_ = bits_ == wanted;
  }

  std::uint64_t of(const IpPrefix& range) const {
    const std::uint64_t high = high_.append(0, range.network().high);
    return length_.append(low_.append(high, range.network().low), range.bits());
  }
  int bits() const { return bits_; }
  /// Whether equal keys are equal ranges.
  bool whole() const { return whole_; }

 private:
  Field high_;
  Field low_;
  Field length_;
  int bits_ = 0;
  bool whole_ = true;
};

/// Orders by the bits from `from` to `to`; what is equal there keeps its order.
void radix_sort(std::vector<std::uint64_t>& items, int from, int to) {
  constexpr int kDigitBits = 8;
  std::vector<std::uint64_t> sorted(items.size());
  for (int shift = from; shift < to; shift += kDigitBits) {
    const std::uint64_t mask = (1u << std::min(kDigitBits, to - shift)) - 1;
    std::array<std::size_t, 1 << kDigitBits> ends{};
    for (const std::uint64_t item : items)
      ++ends[item >> shift & mask];
    std::size_t begin = 0;
    for (std::size_t& end : ends)
      begin += std::exchange(end, begin);
    for (const std::uint64_t item : items)
      sorted[ends[item >> shift & mask]++] = item;
    items.swap(sorted);
  }
}

/// Where the keys of claims cannot tell them apart.
void sort_equal_keys(std::span<Claim> claims, const Keys& keys) {
  for (auto begin = claims.begin(); begin != claims.end();) {
    const std::uint64_t key = keys.of(begin->range);
    const auto end = std::find_if(begin, claims.end(),
                                  [&](const Claim& claim) { return keys.of(claim.range) != key; });
    std::stable_sort(begin, end, [](const Claim& a, const Claim& b) { return a.range < b.range; });
    begin = end;
  }
}

/// Appends the claims of one family in order.
void sort_family(std::span<const Claim> claims, std::vector<Claim>& sorted) {
  if (claims.empty()) return;
  // A key, and where its claim is.
  const int index_bits = 64 - std::countl_zero(std::uint64_t{claims.size()});
  const Keys keys(claims, 64 - index_bits);
  std::vector<std::uint64_t> items(claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i)
    items[i] = keys.of(claims[i].range) << index_bits | i;
  radix_sort(items, index_bits, index_bits + keys.bits());
  const std::uint64_t index_mask = (1ull << index_bits) - 1;
  const std::size_t before = sorted.size();
  for (const std::uint64_t item : items)
    sorted.push_back(claims[item & index_mask]);
  if (!keys.whole()) sort_equal_keys(std::span(sorted).subspan(before), keys);
}

}  // namespace

void sort(std::vector<Claim>& claims) {
  const auto ipv6 = std::stable_partition(claims.begin(), claims.end(),
                                          [](const Claim& claim) { return claim.range.is_ipv4(); });
  std::vector<Claim> sorted;
  sorted.reserve(claims.size());
  sort_family({claims.begin(), ipv6}, sorted);
  sort_family({ipv6, claims.end()}, sorted);
  claims.swap(sorted);
}

}  // namespace overlane::ranges

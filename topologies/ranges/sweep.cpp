#include "topologies/ranges/sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace overlane::ranges {

namespace {

/// The bits of a 64-bit word in which entries differ, from the lowest to the highest such bit.
struct BitField {
  int shift = 0;
  int width = 0;

  static BitField of(std::uint64_t differences) {
    if (differences == 0) return {};
    const int shift = std::countr_zero(differences);
    return {shift, 64 - std::countl_zero(differences) - shift};
  }
  /// Keeps at most the `most` highest bits. Returns the number of bits that are kept.
  int cut(int most) {
    const int left = std::min(width, most);
    *this = {left > 0 ? shift + width - left : 0, left};
    return left;
  }
  std::uint64_t mask() const { return ~(~0ull << width); }
  /// Appends the bits of `word` to `key`.
  std::uint64_t append(std::uint64_t key, std::uint64_t word) const {
    return key << width | (word >> shift & mask());
  }
  /// Removes the last bits of `key`. Returns `other` with these bits in their place.
  std::uint64_t extract(std::uint64_t& key, std::uint64_t other) const {
    const std::uint64_t word = (other & ~(mask() << shift)) | (key & mask()) << shift;
    key >>= width;
    return word;
  }
};

/// Maps the ranges of one family to integers that sort in the same order. A key consists of the
/// bits in which the entries differ, first of their addresses, then of their prefix lengths. If
/// these bits do not fit a key, equal keys may be different ranges.
class Keys {
 public:
  /// `entries` must not be empty. Keys have at most `most_bits` bits, which must be less than 64.
  Keys(std::span<const IndexedRange> entries, int most_bits) : first_(entries.front().range) {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t length = 0;
    for (const IndexedRange& entry : entries) {
      high |= entry.range.network().high ^ first_.network().high;
      low |= entry.range.network().low ^ first_.network().low;
      length |= static_cast<std::uint64_t>(entry.range.bits() ^ first_.bits());
    }
    high_ = BitField::of(high);
    low_ = BitField::of(low);
    length_ = BitField::of(length);
    const int wanted = high_.width + low_.width + length_.width;
    bits_ = high_.cut(most_bits);
    bits_ += low_.cut(most_bits - bits_);
    bits_ += length_.cut(most_bits - bits_);
    identify_ranges_ = bits_ == wanted;
  }

  std::uint64_t of(const IpPrefix& range) const {
    const std::uint64_t high = high_.append(0, range.network().high);
    return length_.append(low_.append(high, range.network().low), range.bits());
  }
  /// The range with this key; requires identify_ranges().
  IpPrefix range(std::uint64_t key) const {
    const auto bits = static_cast<std::uint8_t>(length_.extract(key, first_.bits()));
    IpAddress network;
    network.low = low_.extract(key, first_.network().low);
    network.high = high_.extract(key, first_.network().high);
    return IpPrefix::first_bits(network, bits);
  }
  int bits() const { return bits_; }
  /// Whether equal keys mean equal ranges.
  bool identify_ranges() const { return identify_ranges_; }

 private:
  IpPrefix first_;
  BitField high_;
  BitField low_;
  BitField length_;
  int bits_ = 0;
  bool identify_ranges_ = true;
};

/// Sorts by the bits from `from` (inclusive) to `to` (exclusive); stable.
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

/// Sorts each run of entries with equal keys by range; stable.
void sort_equal_keys(std::span<IndexedRange> entries, const Keys& keys) {
  for (auto begin = entries.begin(); begin != entries.end();) {
    const std::uint64_t key = keys.of(begin->range);
    const auto end = std::find_if(begin, entries.end(), [&](const IndexedRange& entry) {
      return keys.of(entry.range) != key;
    });
    std::stable_sort(
        begin, end, [](const IndexedRange& a, const IndexedRange& b) { return a.range < b.range; });
    begin = end;
  }
}

int width_of(std::uint64_t number) {
  return 64 - std::countl_zero(number);
}

void sort_family(std::span<IndexedRange> entries) {
  if (entries.empty()) return;
  std::uint64_t most = entries.size();
  for (const IndexedRange& entry : entries)
    most = std::max<std::uint64_t>(most, entry.id);
  const int bits = width_of(most);
  const Keys keys(entries, 64 - bits);
  // An item is a key followed by the entry's id if keys identify ranges, otherwise by the entry's
  // position.
  std::vector<std::uint64_t> items(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    items[i] = keys.of(entries[i].range) << bits | (keys.identify_ranges() ? entries[i].id : i);
  radix_sort(items, bits, bits + keys.bits());
  const std::uint64_t mask = (1ull << bits) - 1;
  if (keys.identify_ranges()) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      entries[i] = {keys.range(items[i] >> bits), static_cast<std::uint32_t>(items[i] & mask)};
    return;
  }
  const std::vector<IndexedRange> before(entries.begin(), entries.end());
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = before[items[i] & mask];
  sort_equal_keys(entries, keys);
}

}  // namespace

void sort(std::vector<IndexedRange>& entries) {
  const auto is_ipv4 = [](const IndexedRange& entry) { return entry.range.is_ipv4(); };
  // std::stable_partition would copy the entries even if all are of one family.
  if (!std::is_partitioned(entries.begin(), entries.end(), is_ipv4)) {
    std::stable_partition(entries.begin(), entries.end(), is_ipv4);
  }
  const auto ipv6 = std::partition_point(entries.begin(), entries.end(), is_ipv4);
  sort_family({entries.begin(), ipv6});
  sort_family({ipv6, entries.end()});
}

std::uint64_t count_pairs(std::span<const IndexedRange> sorted) {
  std::uint64_t pairs = 0;
  std::uint64_t open = 0;
  sweep(
      sorted, [&](const IndexedRange&) { pairs += open++; }, [&](const IndexedRange&) { --open; });
  return pairs;
}

}  // namespace overlane::ranges

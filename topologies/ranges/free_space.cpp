#include "topologies/ranges/free_space.h"

#include <algorithm>
#include <optional>

#include "topologies/ranges/address_number.h"
#include "topologies/ranges/sweep.h"

namespace overlane::ranges {
namespace {

struct Interval {
  AddressNumber first;
  AddressNumber last;

  static Interval of(const IpPrefix& range) { return {first_of(range), last_of(range)}; }
};

/// The outermost blocked ranges of one family, in ascending order and disjoint.
std::vector<Interval> outermost(std::span<const IpPrefix> blocked, bool ipv4) {
  std::vector<IndexedRange> entries;
  for (const IpPrefix& range : blocked) {
    if (range.is_ipv4() == ipv4) entries.push_back({range});
  }
  sort(entries);
  std::vector<Interval> result;
  for (const IndexedRange& entry : entries) {
    const Interval next = Interval::of(entry.range);
    if (result.empty() || result.back().last < next.first) result.push_back(next);
  }
  return result;
}

/// Finds free ranges of one length, in one pool after the other.
class Search {
 public:
  Search(std::span<const IpPrefix> blocked, bool ipv4, std::uint8_t length)
      : blocked_(outermost(blocked, ipv4)),
        ipv4_(ipv4),
        length_(length),
        rest_(rest_of(length + (ipv4 ? 96u : 0u))) {
    // IpAddress stores IPv4 as ::ffff:0:0/96: no IPv6 range may overlap that.
    if (!ipv4) searched_.push_back(Interval::of(IpPrefix()));
  }

  /// Appends free ranges of the pool to `found` until it has `count`.
  void search(const IpPrefix& pool, std::size_t count, std::vector<IpPrefix>& found) {
    if (length_ < pool.length() || length_ > (ipv4_ ? 32 : 128)) return;
    const Interval whole = Interval::of(pool);
    AddressNumber at = whole.first;
    auto next = std::partition_point(blocked_.begin(), blocked_.end(),
                                     [&](const Interval& each) { return each.last < at; });
    while (found.size() < count) {
      while (next != blocked_.end() && next->last < at)
        ++next;
      const Interval candidate{at, at | rest_};
      const auto hit = next != blocked_.end() && next->first <= candidate.last
                           ? std::optional(next->last)
                           : end_of_searched_pool(candidate);
      if (!hit) found.push_back(IpPrefix::containing(address_of(at), length_));
      const AddressNumber through = hit.value_or(at) | rest_;
      if (through >= whole.last) break;
      at = through + 1;
    }
    searched_.push_back(whole);
  }

 private:
  /// The last address of a searched pool that overlaps the candidate; nullopt if there is none.
  std::optional<AddressNumber> end_of_searched_pool(const Interval& candidate) const {
    for (const Interval& each : searched_) {
      if (each.first <= candidate.last && candidate.first <= each.last) return each.last;
    }
    return std::nullopt;
  }

  std::vector<Interval> blocked_;
  bool ipv4_;
  std::uint8_t length_;
  AddressNumber rest_;  ///< Number of addresses of a range after its first.
  /// Pools that were searched.
  std::vector<Interval> searched_;
};

}  // namespace

std::vector<IpPrefix> free_ranges(std::span<const IpPrefix> pools,
                                  std::span<const IpPrefix> blocked, std::uint8_t length,
                                  std::size_t count) {
  std::vector<IpPrefix> found;
  Search ipv4(blocked, true, length);
  Search ipv6(blocked, false, length);
  for (const IpPrefix& pool : pools)
    (pool.is_ipv4() ? ipv4 : ipv6).search(pool, count, found);
  return found;
}

}  // namespace overlane::ranges

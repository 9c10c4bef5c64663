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

/// What is blocked in a family, without what is inside another range: ascending and disjoint.
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

/// Looks for free ranges of one size in one pool of a family after the other.
class Search {
 public:
  Search(std::span<const IpPrefix> blocked, bool ipv4, std::uint8_t length)
      : blocked_(outermost(blocked, ipv4)),
        ipv4_(ipv4),
        length_(length),
        rest_(rest_of(length + (ipv4 ? 96u : 0u))) {
    // IPv4-mapped addresses are no IPv6 addresses here, though they lie among them.
    if (!ipv4) done_.push_back(Interval::of(IpPrefix()));
  }

  /// Appends what is free in the pool until there are `count`.
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
                           : done_at(candidate);
      if (!hit) found.push_back(IpPrefix::containing(address_of(at), length_));
      const AddressNumber through = hit.value_or(at) | rest_;
      if (through >= whole.last) break;
      at = through + 1;
    }
    done_.push_back(whole);
  }

 private:
  /// The last address of what is in the way of the candidate.
  std::optional<AddressNumber> done_at(const Interval& candidate) const {
    for (const Interval& each : done_) {
      if (each.first <= candidate.last && candidate.first <= each.last) return each.last;
    }
    return std::nullopt;
  }

  std::vector<Interval> blocked_;
  bool ipv4_;
  std::uint8_t length_;
  AddressNumber rest_;  ///< Addresses of a range after its first.
  /// Pools that have nothing left.
  std::vector<Interval> done_;
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

#include "topologies/ranges/pod_cidrs.h"

#include <algorithm>
#include <cassert>

#include "topologies/ranges/address_number.h"

namespace overlane::ranges {
namespace {

constexpr int kMaxIndexBits = 62;

/// The pod CIDRs of one cluster: their addresses, and how many node creations allocate them.
class PodCidrs {
 public:
  PodCidrs(const PodCidrAllocation& allocation, std::uint64_t start)
      : used_(allocation.used),
        start_(start),
        used_before_start_(used_before(start)),
        first_(first_of(allocation.range)),
        shift_((allocation.range.is_ipv4() ? 32u : 128u) - allocation.mask) {}

  std::uint64_t index(AddressNumber address) const {
    return static_cast<std::uint64_t>((address - first_) >> shift_);
  }
  AddressNumber first(std::uint64_t pod_cidr) const {
    return first_ + (AddressNumber{pod_cidr} << shift_);
  }
  AddressNumber last(std::uint64_t pod_cidr) const {
    return first(pod_cidr) | rest_of(128 - shift_);
  }
  AddressNumber start() const { return first(start_); }
  const std::vector<std::uint64_t>& used() const { return used_; }
  bool is_used(std::uint64_t pod_cidr) const {
    return std::binary_search(used_.begin(), used_.end(), pod_cidr);
  }

  /// Number of nodes to create until one gets this unused pod CIDR. Nodes get ascending pod CIDRs
  /// from the start on; for lower pod CIDRs, a start at 0 is no worse than wrapping around the end.
  std::uint64_t nodes_until(std::uint64_t pod_cidr) const {
    const bool from_start = pod_cidr >= start_;
    const std::uint64_t from = from_start ? start_ : 0;
    return pod_cidr + 1 - from - (used_before(pod_cidr) - (from_start ? used_before_start_ : 0));
  }
  /// Number of nodes to create until one has any pod CIDR from `low` to `high`; 0 if one is in use.
  std::uint64_t nodes_until_any(std::uint64_t low, std::uint64_t high) const {
    const auto first_used = std::lower_bound(used_.begin(), used_.end(), low);
    if (first_used != used_.end() && *first_used <= high) return 0;
    return nodes_until(low < start_ && start_ <= high ? start_ : low);
  }

 private:
  std::uint64_t used_before(std::uint64_t pod_cidr) const {
    return static_cast<std::uint64_t>(std::lower_bound(used_.begin(), used_.end(), pod_cidr) -
                                      used_.begin());
  }

  const std::vector<std::uint64_t>& used_;
  std::uint64_t start_;
  std::uint64_t used_before_start_;
  AddressNumber first_;
  unsigned shift_;
};

/// The addresses in both ranges.
struct Region {
  AddressNumber first;
  AddressNumber last;
};

/// Node creations in `other` until one of its pod CIDRs overlaps one in use by `standing`.
std::uint64_t until_overlap_with_used(const PodCidrs& standing, const PodCidrs& other,
                                      const Region& region) {
  std::uint64_t least = ~0ull;
  for (const std::uint64_t pod_cidr : standing.used()) {
    const AddressNumber first = std::max(region.first, standing.first(pod_cidr));
    const AddressNumber last = std::min(region.last, standing.last(pod_cidr));
    if (first > last) continue;
    least = std::min(least, other.nodes_until_any(other.index(first), other.index(last)));
    if (least == 0) break;
  }
  return least;
}

/// Node creations in both clusters, at least two, until both have allocated the lowest address at
/// or after `at` that is in no pod CIDR in use.
std::uint64_t until_both_allocate(const PodCidrs& a, const PodCidrs& b, AddressNumber at,
                                  const Region& region) {
  if (at < region.first || at > region.last) return ~0ull;
  for (;;) {
    const std::uint64_t in_a = a.index(at);
    const std::uint64_t in_b = b.index(at);
    const bool a_is_used = a.is_used(in_a);
    if (!a_is_used && !b.is_used(in_b)) return a.nodes_until(in_a) + b.nodes_until(in_b);
    const AddressNumber last = a_is_used ? a.last(in_a) : b.last(in_b);
    if (last >= region.last) return ~0ull;
    at = last + 1;
  }
}

/// Node creations in both clusters until two of their pod CIDRs overlap. A cluster allocates
/// ascending pod CIDRs from its start on, then those below its start. So among addresses that
/// neither cluster has allocated, only the lowest one after the region's first address, after a's
/// start or after b's start can be reached first.
std::uint64_t until_overlap(const PodCidrs& a, const PodCidrs& b, const Region& region) {
  std::uint64_t least = until_overlap_with_used(a, b, region);
  if (least > 0) least = std::min(least, until_overlap_with_used(b, a, region));
  if (least < 2) return least;
  for (const AddressNumber at : {region.first, a.start(), b.start()})
    least = std::min(least, until_both_allocate(a, b, at, region));
  return least;
}

}  // namespace

std::uint64_t pod_cidr_count(const IpPrefix& range, std::uint8_t mask) {
  const int index_bits = mask - range.length();
  const bool in_family = mask > 0 && mask <= (range.is_ipv4() ? 32 : 128);
  const bool some = in_family && index_bits >= 0 && index_bits <= kMaxIndexBits;
  return some ? 1ull << index_bits : 0;
}

std::optional<std::uint64_t> pod_cidr_index(const IpPrefix& range, std::uint8_t mask,
                                            IpAddress address) {
  if (pod_cidr_count(range, mask) == 0 || !range.contains(address)) return std::nullopt;
  return PodCidrs({range, mask, {}, 0}, 0).index(number_of(address));
}

UntilConflict until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b) {
  const std::uint64_t a_count = pod_cidr_count(a.range, a.mask);
  const std::uint64_t b_count = pod_cidr_count(b.range, b.mask);
  if (a_count == 0 || b_count == 0 || !a.range.overlaps(b.range)) return {};
  assert(a.next < a_count && (a.used.empty() || a.used.back() < a_count));
  assert(b.next < b_count && (b.used.empty() || b.used.back() < b_count));
  const IpPrefix& smaller = a.range.contains(b.range) ? b.range : a.range;
  const Region region{first_of(smaller), last_of(smaller)};
  return {until_overlap(PodCidrs(a, 0), PodCidrs(b, 0), region),
          until_overlap(PodCidrs(a, a.next), PodCidrs(b, b.next), region)};
}

}  // namespace overlane::ranges

#include "topologies/ranges/testing/oracle.h"

#include <algorithm>

namespace overlane::ranges::testing {

namespace {

IpAddress address_of(Number number) {
  IpAddress address;
  address.high = static_cast<std::uint64_t>(number >> 64);
  address.low = static_cast<std::uint64_t>(number);
  return address;
}

}  // namespace

Number first(const IpPrefix& range) {
  return Number{range.network().high} << 64 | range.network().low;
}

Number last(const IpPrefix& range) {
  const unsigned bits = range.bits();
  return first(range) | (bits == 128 ? Number{0} : ~Number{0} >> bits);
}

bool overlap(const IpPrefix& a, const IpPrefix& b) {
  return a.is_ipv4() == b.is_ipv4() && first(a) <= last(b) && first(b) <= last(a);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> overlapping(
    std::span<const IndexedRange> entries) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t a = 0; a < entries.size(); ++a) {
    for (std::size_t b = a + 1; b < entries.size(); ++b) {
      if (!overlap(entries[a].range, entries[b].range)) continue;
      const bool b_is_larger = entries[b].range.bits() < entries[a].range.bits();
      pairs.emplace_back(entries[b_is_larger ? b : a].id, entries[b_is_larger ? a : b].id);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::vector<IpPrefix> all_ranges(const IpPrefix& universe, std::uint8_t longest) {
  std::vector<IpPrefix> ranges;
  for (std::uint8_t length = universe.length(); length <= longest; ++length) {
    const std::uint64_t count = 1ull << (longest - universe.length()) >> (longest - length);
    const unsigned shift = (universe.is_ipv4() ? 32u : 128u) - length;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Number network = first(universe) + (Number{i} << shift);
      ranges.push_back(IpPrefix::containing(address_of(network), length));
    }
  }
  return ranges;
}

IpPrefix random_range(RandomStream& random) {
  const bool ipv4 = random.below(2) == 0;
  const std::uint8_t all = ipv4 ? 32 : 128;
  IpAddress address =
      ipv4 ? IpAddress(Ipv4Address{0x0a000000}) : IpAddress::parse("fd00::").value();
  std::uint8_t length = static_cast<std::uint8_t>(random.below(all + 1u));
  switch (random.below(8)) {
    case 0:
      length = 0;
      break;
    case 1:
      length = all;
      address = address + random.below(16);
      break;
    case 2:
      if (ipv4) {
        address = Ipv4Address{static_cast<std::uint32_t>(random.next())};
      } else {
        address.high = random.next();
        address.low = random.next();
      }
      break;
    default:
      length = static_cast<std::uint8_t>(all - random.below(8));
      address = address + random.below(128);
  }
  return IpPrefix::containing(address, length);
}

namespace {

std::vector<IpPrefix> pod_cidrs_of(const PodCidrAllocation& allocation) {
  std::vector<IpPrefix> pod_cidrs = all_ranges(allocation.range, allocation.mask);
  std::erase_if(pod_cidrs, [&](const IpPrefix& each) { return each.length() != allocation.mask; });
  return pod_cidrs;
}

/// Pod CIDRs in allocation order: those in use, then those of future nodes.
struct Allocation {
  std::vector<IpPrefix> pod_cidrs;
  std::size_t in_use;

  /// The pod CIDRs in use after `created` node creations.
  std::span<const IpPrefix> after(std::size_t created) const {
    return std::span(pod_cidrs).first(in_use + created);
  }
  std::size_t to_come() const { return pod_cidrs.size() - in_use; }
};

Allocation allocate(const PodCidrAllocation& allocation, std::uint64_t next) {
  const std::vector<IpPrefix> pod_cidrs = pod_cidrs_of(allocation);
  std::vector<bool> used(pod_cidrs.size());
  Allocation allocation_order{{}, allocation.used.size()};
  for (const std::uint64_t index : allocation.used) {
    used[index] = true;
    allocation_order.pod_cidrs.push_back(pod_cidrs[index]);
  }
  while (allocation_order.pod_cidrs.size() < pod_cidrs.size()) {
    while (used[next])
      next = (next + 1) % pod_cidrs.size();
    used[next] = true;
    allocation_order.pod_cidrs.push_back(pod_cidrs[next]);
  }
  return allocation_order;
}

bool meet(std::span<const IpPrefix> a, std::span<const IpPrefix> b) {
  return std::any_of(a.begin(), a.end(), [&](const IpPrefix& one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const IpPrefix& other) { return overlap(one, other); });
  });
}

std::optional<std::uint64_t> fewest(const Allocation& a, const Allocation& b) {
  for (std::size_t nodes = 0; nodes <= a.to_come() + b.to_come(); ++nodes) {
    for (std::size_t in_a = 0; in_a <= std::min(nodes, a.to_come()); ++in_a) {
      const std::size_t in_b = nodes - in_a;
      if (in_b <= b.to_come() && meet(a.after(in_a), b.after(in_b))) return nodes;
    }
  }
  return std::nullopt;
}

}  // namespace

UntilConflict slowly_until_conflict(const PodCidrAllocation& a, const PodCidrAllocation& b) {
  UntilConflict result{fewest(allocate(a, 0), allocate(b, 0)), std::nullopt};
  for (const std::uint64_t a_start : {std::uint64_t{0}, a.next}) {
    for (const std::uint64_t b_start : {std::uint64_t{0}, b.next}) {
      const auto nodes = fewest(allocate(a, a_start), allocate(b, b_start));
      if (nodes && (!result.creations || *nodes < *result.creations)) result.creations = nodes;
    }
  }
  return result;
}

}  // namespace overlane::ranges::testing

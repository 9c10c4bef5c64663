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

}  // namespace overlane::ranges::testing

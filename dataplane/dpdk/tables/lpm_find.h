#pragma once

#include <rte_lpm.h>

#include "dataplane/dpdk/tables/generation.h"

namespace overlane::dpdk {

/// The Finder of adjacency::Burst.
class LpmFinder {
 public:
  /// `generation` must outlive it.
  explicit LpmFinder(const Generation& generation)
      : table_(generation.lpm.table()), ipv6_(generation.ipv6) {}

  /// The class of an address in host byte order. Every address has one.
  [[gnu::always_inline]] std::uint32_t operator()(std::uint32_t address) const {
    std::uint32_t found = 0;
    rte_lpm_lookup(table_, address, &found);
    return found;
  }
  /// The class of an IPv6 address, given by its halves. Requires `high` not to be 0.
  [[gnu::always_inline]] std::uint32_t operator()(std::uint64_t high, std::uint64_t low) const {
    return ipv6_(high, low);
  }
  /// Finds the class of an IPv6 address, faster if the address is likely to have a class of its
  /// own.
  [[gnu::always_inline]] std::uint32_t host(std::uint64_t high, std::uint64_t low) const {
    return ipv6_.host(high, low);
  }

 private:
  const rte_lpm* table_;
  const adjacency::Ipv6Finder& ipv6_;
};

/// The Finder of adjacency::ClassLookup: accepts any address.
class AnyFinder {
 public:
  /// `generation` must outlive it.
  explicit AnyFinder(const Generation& generation)
      : fast_(generation), all_(generation.all_classes) {}

  std::uint32_t operator()(IpAddress address) const {
    if (address.is_ipv4()) return fast_(address.ipv4().bits);
    return address.high != 0 ? fast_(address.high, address.low) : all_(address);
  }

 private:
  LpmFinder fast_;
  const adjacency::PrefixFinder& all_;
};

}  // namespace overlane::dpdk

#pragma once

#include <rte_lpm.h>

#include "dataplane/dpdk/tables/generation.h"

namespace overlane::dpdk {

/// The Finder of adjacency::Burst.
class LpmFinder {
 public:
  explicit LpmFinder(const Lpm& lpm) : table_(lpm.table()) {}

  /// The class of an address in host byte order. Every address has one.
  [[gnu::always_inline]] std::uint32_t operator()(std::uint32_t address) const {
    std::uint32_t found = 0;
    rte_lpm_lookup(table_, address, &found);
    return found;
  }

 private:
  const rte_lpm* table_;
};

/// The Finder of adjacency::ClassLookup: of any address.
class AnyFinder {
 public:
  /// `generation` must outlive it.
  explicit AnyFinder(const Generation& generation)
      : ipv4_(generation.lpm), all_(generation.all_classes) {}

  std::uint32_t operator()(IpAddress address) const {
    if (!address.is_ipv4()) return all_(address);
    return ipv4_(address.ipv4().bits);
  }

 private:
  LpmFinder ipv4_;
  const adjacency::PrefixFinder& all_;
};

}  // namespace overlane::dpdk

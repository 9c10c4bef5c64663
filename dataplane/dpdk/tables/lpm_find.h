#pragma once

#include <rte_lpm.h>

#include "dataplane/dpdk/tables/generation.h"

namespace overlane::dpdk {

/// The Finder of adjacency::Burst.
class LpmFinder {
 public:
  explicit LpmFinder(const Lpm& lpm) : table_(lpm.table()) {}

  /// The class of each address, in host byte order. Every address has one.
  [[gnu::always_inline]] void find(const std::uint32_t* addresses, std::uint32_t* classes,
                                   std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      rte_lpm_lookup(table_, addresses[i], &classes[i]);
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
    const std::uint32_t bits = address.ipv4().bits;
    std::uint32_t found = 0;
    ipv4_.find(&bits, &found, 1);
    return found;
  }

 private:
  LpmFinder ipv4_;
  const adjacency::PrefixFinder& all_;
};

}  // namespace overlane::dpdk

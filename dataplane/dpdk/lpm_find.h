#pragma once

#include <rte_lpm.h>

#include "dataplane/dpdk/lpm.h"

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

}  // namespace overlane::dpdk

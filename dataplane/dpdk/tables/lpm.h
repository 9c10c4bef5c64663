#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "dataplane/adjacency/address_class.h"
#include "results/finding/finding.h"

struct rte_lpm;

namespace overlane::dpdk {

/// Longest-prefix match over the IPv4 classes in DPDK's table of 2^24 + 256 · n entries
/// (rte_lpm.h), about 64 MiB.
class Lpm {
 public:
  /// Fails when there is no memory for it, or there are more than 2^24 classes.
  static Parsed<Lpm> make(std::span<const adjacency::AddressClass> classes);

  const rte_lpm* table() const { return table_.get(); }

 private:
  struct Free {
    void operator()(rte_lpm* table) const;
  };
  explicit Lpm(rte_lpm* table) : table_(table) {}

  std::unique_ptr<rte_lpm, Free> table_;
};

}  // namespace overlane::dpdk

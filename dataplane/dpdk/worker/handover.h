#pragma once

#include <memory>
#include <span>

#include "dataplane/dpdk/io/count.h"
#include "results/finding/finding.h"

struct rte_mbuf;
struct rte_ring;

namespace overlane::dpdk {

/// Packets on their way from one core to another, in order, through DPDK's lock-free ring. Neither
/// core waits for the other.
class Handover {
 public:
  /// Room for `slots` packets, a power of two, but for one.
  static Parsed<std::unique_ptr<Handover>> make(std::uint32_t slots);
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  /// Frees the packets that were not taken.
  ~Handover();

  /// For the one core that gives: what there is no room for is freed, and counted.
  void give(std::span<rte_mbuf* const> packets);
  /// For the one core that takes: how many packets it put into `room`.
  std::size_t take(std::span<rte_mbuf*> room);

  /// Packets that there was no room for.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Free {
    void operator()(rte_ring* ring) const;
  };
  explicit Handover(rte_ring* ring) : ring_(ring) {}

  std::unique_ptr<rte_ring, Free> ring_;
  Count refused_;
};

}  // namespace overlane::dpdk

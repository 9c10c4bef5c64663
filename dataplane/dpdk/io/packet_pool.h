#pragma once

#include <cstdint>
#include <memory>

#include "results/finding/finding.h"

struct rte_mempool;

namespace overlane::dpdk {

/// The buffers of a program's packets.
class PacketPool {
 public:
  /// What drivers expect a buffer to hold at the least (RTE_MBUF_DEFAULT_DATAROOM).
  static constexpr std::uint32_t kDefaultFrameBytes = 2048;

  /// `buffers` of `frame_bytes`, each with room for outer headers in front.
  static Parsed<PacketPool> make(std::uint32_t buffers, std::uint32_t frame_bytes);

  rte_mempool* get() const { return pool_.get(); }
  /// Buffers in use: 0 when every packet has been sent or freed.
  std::uint32_t in_use() const;

 private:
  struct Free {
    void operator()(rte_mempool* pool) const;
  };
  explicit PacketPool(rte_mempool* pool) : pool_(pool) {}

  std::unique_ptr<rte_mempool, Free> pool_;
};

}  // namespace overlane::dpdk

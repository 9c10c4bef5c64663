#include "dataplane/dpdk/io/packet_pool.h"

#include <atomic>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include <fmt/format.h>

#include "dataplane/adjacency/frame.h"
#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

/// Buffers that a core keeps for itself, so that it seldom takes the pool's lock-free ring.
constexpr unsigned kCoreCache = 256;
/// rte_mbuf counts in 16 bits.
constexpr std::uint32_t kMaxFrameBytes = UINT16_MAX - RTE_PKTMBUF_HEADROOM;

}  // namespace

Parsed<PacketPool> PacketPool::make(std::uint32_t buffers, std::uint32_t frame_bytes) {
  static_assert(RTE_PKTMBUF_HEADROOM >= adjacency::kHeadroom);
  static std::atomic<unsigned> made = 0;
  if (frame_bytes > kMaxFrameBytes) {
    return fail(fmt::format("frames of {} bytes; a buffer holds {}", frame_bytes, kMaxFrameBytes));
  }
  const auto room = static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + frame_bytes);
  const std::string name = fmt::format("packets-{}", made++);
  rte_mempool* pool =
      rte_pktmbuf_pool_create(name.c_str(), buffers, kCoreCache, 0, room, SOCKET_ID_ANY);
  if (pool == nullptr) {
    return fail(dpdk_error(
        fmt::format("no memory for {} packets of {} bytes", buffers, frame_bytes), rte_errno));
  }
  return PacketPool(pool);
}

std::uint32_t PacketPool::in_use() const {
  return rte_mempool_in_use_count(pool_.get());
}

void PacketPool::Free::operator()(rte_mempool* pool) const {
  rte_mempool_free(pool);
}

}  // namespace overlane::dpdk

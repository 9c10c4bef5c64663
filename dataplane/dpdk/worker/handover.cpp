#include "dataplane/dpdk/worker/handover.h"

#include <array>
#include <atomic>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {

Parsed<std::unique_ptr<Handover>> Handover::make(std::uint32_t slots) {
  static std::atomic<unsigned> made = 0;
  rte_ring* ring = rte_ring_create(fmt::format("handover-{}", made++).c_str(), slots, SOCKET_ID_ANY,
                                   RING_F_SP_ENQ | RING_F_SC_DEQ);
  if (ring == nullptr) return fail(dpdk_error("no ring between cores", rte_errno));
  return std::unique_ptr<Handover>(new Handover(ring));
}

Handover::~Handover() {
  std::array<rte_mbuf*, 64> packets;
  while (const std::size_t count = take(packets))
    rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(count));
}

void Handover::give(std::span<rte_mbuf* const> packets) {
  auto** all = const_cast<rte_mbuf**>(packets.data());
  const auto count = static_cast<unsigned>(packets.size());
  const unsigned given =
      rte_ring_sp_enqueue_burst(ring_.get(), reinterpret_cast<void**>(all), count, nullptr);
  if (given == count) return;
  rte_pktmbuf_free_bulk(all + given, count - given);
  refused_ += count - given;
}

std::size_t Handover::take(std::span<rte_mbuf*> room) {
  return rte_ring_sc_dequeue_burst(ring_.get(), reinterpret_cast<void**>(room.data()),
                                   static_cast<unsigned>(room.size()), nullptr);
}

void Handover::Free::operator()(rte_ring* ring) const {
  rte_ring_free(ring);
}

}  // namespace overlane::dpdk

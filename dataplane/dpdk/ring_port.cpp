#include "dataplane/dpdk/ring_port.h"

#include <cstring>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>

#include "dataplane/dpdk/eal.h"

namespace overlane::dpdk {
namespace {

constexpr unsigned kRingSlots = 1024;

rte_ring* new_ring(const std::string& name) {
  return rte_ring_create(name.c_str(), kRingSlots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

}  // namespace

Parsed<RingWire> RingWire::make(const std::string& name, const PacketPool& pool) {
  Ring to_port(new_ring(name + "-in"));
  Ring from_port(new_ring(name + "-out"));
  if (!to_port || !from_port) return fail(dpdk_error("ring " + name, rte_errno));
  rte_ring* in = to_port.get();
  rte_ring* out = from_port.get();
  if (rte_eth_from_rings(name.c_str(), &in, 1, &out, 1, 0) < 0) {
    return fail(dpdk_error("port net_ring_" + name, rte_errno));
  }
  return RingWire("net_ring_" + name, pool, std::move(to_port), std::move(from_port));
}

bool RingWire::put(std::span<const std::uint8_t> frame) {
  rte_mbuf* packet = rte_pktmbuf_alloc(pool_->get());
  if (packet == nullptr) return false;
  char* to = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(frame.size()));
  if (to != nullptr && frame.size() <= UINT16_MAX) {
    std::memcpy(to, frame.data(), frame.size());
    if (rte_ring_enqueue(to_port_.get(), packet) == 0) return true;
  }
  rte_pktmbuf_free(packet);
  return false;
}

std::vector<std::vector<std::uint8_t>> RingWire::take() {
  std::vector<std::vector<std::uint8_t>> frames;
  void* object = nullptr;
  while (rte_ring_dequeue(from_port_.get(), &object) == 0) {
    auto* packet = static_cast<rte_mbuf*>(object);
    const auto* at = rte_pktmbuf_mtod(packet, const std::uint8_t*);
    frames.emplace_back(at, at + packet->data_len);
    rte_pktmbuf_free(packet);
  }
  return frames;
}

void RingWire::Free::operator()(rte_ring* ring) const {
  rte_ring_free(ring);
}

}  // namespace overlane::dpdk

#include "dataplane/dpdk/io/ring_port.h"

#include <algorithm>
#include <cstring>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {
namespace {

constexpr unsigned kRingSlots = 1024;

rte_ring* new_ring(const std::string& name) {
  return rte_ring_create(name.c_str(), kRingSlots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

}  // namespace

Parsed<RingWire> RingWire::make(const std::string& name, const PacketPool& pool,
                                const Queues& queues) {
  std::vector<Ring> to_port;
  std::vector<Ring> from_port;
  for (std::uint16_t i = 0; i < queues.receive; ++i)
    to_port.emplace_back(new_ring(fmt::format("{}-in{}", name, i)));
  for (std::uint16_t i = 0; i < queues.send; ++i)
    from_port.emplace_back(new_ring(fmt::format("{}-out{}", name, i)));
  std::vector<rte_ring*> in;
  std::vector<rte_ring*> out;
  for (const Ring& ring : to_port)
    in.push_back(ring.get());
  for (const Ring& ring : from_port)
    out.push_back(ring.get());
  if (std::ranges::count(in, nullptr) + std::ranges::count(out, nullptr) != 0) {
    return fail(dpdk_error("ring " + name, rte_errno));
  }
  if (rte_eth_from_rings(name.c_str(), in.data(), queues.receive, out.data(), queues.send, 0) < 0) {
    return fail(dpdk_error("port net_ring_" + name, rte_errno));
  }
  return RingWire("net_ring_" + name, pool, std::move(to_port), std::move(from_port));
}

bool RingWire::put(std::span<const std::uint8_t> frame, std::uint16_t queue) {
  rte_mbuf* packet = rte_pktmbuf_alloc(pool_->get());
  if (packet == nullptr) return false;
  char* to = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(frame.size()));
  if (to != nullptr && frame.size() <= UINT16_MAX) {
    std::memcpy(to, frame.data(), frame.size());
    if (rte_ring_enqueue(to_port_.at(queue).get(), packet) == 0) return true;
  }
  rte_pktmbuf_free(packet);
  return false;
}

std::size_t RingWire::put_burst(std::span<rte_mbuf* const> packets, std::uint16_t queue) {
  return rte_ring_enqueue_burst(to_port_.at(queue).get(),
                                reinterpret_cast<void* const*>(packets.data()),
                                static_cast<unsigned>(packets.size()), nullptr);
}

std::size_t RingWire::take_burst(std::span<rte_mbuf*> packets, std::uint16_t queue) {
  return rte_ring_dequeue_burst(from_port_.at(queue).get(),
                                reinterpret_cast<void**>(packets.data()),
                                static_cast<unsigned>(packets.size()), nullptr);
}

std::vector<std::vector<std::uint8_t>> RingWire::take() {
  std::vector<std::vector<std::uint8_t>> frames;
  for (const Ring& ring : from_port_) {
    void* object = nullptr;
    while (rte_ring_dequeue(ring.get(), &object) == 0) {
      auto* packet = static_cast<rte_mbuf*>(object);
      const auto* at = rte_pktmbuf_mtod(packet, const std::uint8_t*);
      frames.emplace_back(at, at + packet->data_len);
      rte_pktmbuf_free(packet);
    }
  }
  return frames;
}

void RingWire::Free::operator()(rte_ring* ring) const {
  rte_ring_free(ring);
}

}  // namespace overlane::dpdk

#include "dataplane/dpdk/worker/worker.h"

#include <array>
#include <atomic>
#include <bit>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>
#include <rte_ring.h>

#include <fmt/format.h>

#include "dataplane/dpdk/io/eal.h"
#include "dataplane/dpdk/tables/lpm_find.h"

namespace overlane::dpdk {

std::size_t Worker::receive(const Side& from,
                            std::array<rte_mbuf*, adjacency::kBurst>& packets) const {
  return rte_eth_rx_burst(from.port.id(), queue_, packets.data(), burst_);
}

namespace {

using adjacency::Frame;

/// The frame of a packet in one buffer with headroom; otherwise an empty frame, which no adjacency
/// takes.
Frame frame_of(rte_mbuf* packet) {
  if (packet->nb_segs != 1 || packet->data_off < adjacency::kHeadroom)
    return {.at = nullptr, .bytes = 0};
  return {rte_pktmbuf_mtod(packet, std::uint8_t*), packet->data_len};
}

template <typename Use>
void for_each(std::span<rte_mbuf* const> packets, adjacency::Positions positions, Use use) {
  for (; positions != 0; positions &= positions - 1)
    use(packets[static_cast<std::size_t>(std::countr_zero(positions))]);
}

void add(std::span<rte_mbuf* const> packets, adjacency::Positions positions, SendQueue& to) {
  if (positions == adjacency::first_positions(packets.size())) {
    to.add(packets);
  } else {
    for_each(packets, positions, [&](rte_mbuf* packet) { to.add(packet); });
  }
}

void set_frame(rte_mbuf* packet, const Frame& frame) {
  const auto* buffer = static_cast<const std::uint8_t*>(packet->buf_addr);
  packet->data_off = static_cast<std::uint16_t>(frame.at - buffer);
  packet->data_len = static_cast<std::uint16_t>(frame.bytes);
  packet->pkt_len = frame.bytes;
}

}  // namespace

void take(const Generation& generation, const adjacency::PuntFilter& exceptions,
          node::IdentificationCounters& identification, forward::Ingress ingress,
          const MacAddress& mac, std::span<rte_mbuf* const> packets, SendQueue& to_pods,
          SendQueue& to_uplink, PuntedPackets& punted) {
  std::array<Frame, adjacency::kBurst> frames;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    frames[i] = frame_of(packets[i]);
    rte_prefetch0(frames[i].at);
  }
  const std::span all(frames.data(), packets.size());
  const LpmFinder finder(generation);
  const adjacency::Burst burst(generation.compiled, *generation.links, finder, exceptions,
                               identification);
  rte_mbuf* const* const buffers = packets.data();
  const auto leave = [buffers](std::size_t position, const Frame& frame,
                               const adjacency::Adjacency&) {
    set_frame(buffers[position], frame);
  };
  const adjacency::Forwarded forwarded = ingress == forward::Ingress::Pod
                                             ? burst.from_pods(all, mac, leave)
                                             : burst.from_uplink(all, mac, leave);
  add(packets, forwarded.to_pods, to_pods);
  add(packets, forwarded.to_uplink, to_uplink);
  punted.count = 0;
  for_each(packets, adjacency::first_positions(packets.size()) & ~forwarded.all(),
           [&](rte_mbuf* packet) { punted.packets[punted.count++] = packet; });
}

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

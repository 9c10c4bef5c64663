#include "dataplane/dpdk/worker/take.h"

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "dataplane/dpdk/tables/lpm_find.h"

namespace overlane::dpdk {
namespace {

using adjacency::Frame;

/// A frame in one buffer with room in front; else an empty one, which no adjacency takes.
Frame frame_of(rte_mbuf* packet) {
  if (packet->nb_segs != 1 || packet->data_off < adjacency::kHeadroom)
    return {.at = nullptr, .bytes = 0};
  return {rte_pktmbuf_mtod(packet, std::uint8_t*), packet->data_len};
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
          SendQueue& to_uplink, Left& left) {
  std::array<Frame, adjacency::kBurst> frames;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    frames[i] = frame_of(packets[i]);
    rte_prefetch0(frames[i].at);
  }
  const std::span all(frames.data(), packets.size());
  const LpmFinder finder(generation.lpm);
  const adjacency::Burst burst(generation.compiled, *generation.links, finder, exceptions,
                               identification);
  const auto leave = [&](std::size_t position, const Frame& frame,
                         const adjacency::Adjacency& adjacency) {
    set_frame(packets[position], frame);
    (adjacency.egress == forward::Egress::Pod ? to_pods : to_uplink).add(packets[position]);
  };
  const auto taken = ingress == forward::Ingress::Pod ? burst.from_pods(all, mac, leave)
                                                      : burst.from_uplink(all, mac, leave);
  left.count = 0;
  for (std::size_t i = 0; i < packets.size(); ++i)
    if ((taken >> i & 1u) == 0) left.packets[left.count++] = packets[i];
}

}  // namespace overlane::dpdk

#pragma once

#include <algorithm>
#include <cstdint>

#include "dataplane/net/flow_hash.h"
#include "sim/host/machine.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

// Which core of a machine does what: one function for each that picks.

/// The NIC, by the hash of the outermost header (RSS); `flow` has no ports where the packet shows
/// none.
inline std::uint16_t receive_core(FlowKey flow, bool is_udp, const host::Machine& machine) {
  if (is_udp && machine.udp_rss == host::UdpRss::TwoTuple)
    flow.source_port = flow.destination_port = 0;
  return static_cast<std::uint16_t>(flow_hash(flow) % host::receive_queues(machine));
}

/// RPS, by the hash of a buffer's inner flow, for which its sender stands.
inline std::uint16_t steered_core(EndpointId sender, std::size_t cores) {
  return static_cast<std::uint16_t>(murmur_mix(sender) % cores);
}

/// The scheduler, for the application behind one end of a flow, which has no protocol here. It
/// leaves cores alone that are busy with a receive queue, if others have none.
inline std::uint16_t application_core(const FlowKey& flow, const host::Machine& machine) {
  const std::uint32_t all = std::max(machine.cores, 1u);
  const std::uint32_t first = host::receive_queues(machine) % all;
  return static_cast<std::uint16_t>(first + flow_hash(flow) % (all - first));
}

/// WireGuard, for the packets of a peer: peers have their cores in turn (wg_packet_tx_worker,
/// wg_packet_rx_poll).
inline std::uint16_t peer_core(std::uint64_t peer, std::uint32_t cores) {
  return static_cast<std::uint16_t>(peer % cores);
}

/// WireGuard, for the next packet to encrypt or decrypt (wg_cpumask_next_online).
inline std::uint32_t next_cipher_core(std::uint32_t last, std::uint32_t cores) {
  return (last + 1) % cores;
}

}  // namespace overlane::run

#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/state/device.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::forward {

// From bytes to the descriptor (Packet) on which decisions are made. It checks what ip_rcv_core
// and ip6_rcv_core check and recognises tunnels as a node with this state would. It never
// reads outside `bytes`.

/// The packet at the front of `bytes`, which begin with its outermost IP header, as that node sees
/// it; or why ip_rcv_core or ip6_rcv_core drops it before anyone looks where it goes. Bytes behind
/// the length that the header announces are link padding.
///
/// A tunnel packet is recognised by its protocol, or by a UDP port of node::tunnel_ports, and taken
/// apart by the pop() of its folder in dataplane/encap. What is wrong behind the outer header
/// matters only to a node that takes the packet: it is left in Packet::udp_fault and inner_fault,
/// and `inner` is then what could be read. Of a fragment, nothing inside the tunnel is read: who
/// wants it puts the bytes of the fragments together first.
Result<Packet, Drop> read_packet(const node::NodeState& state, std::span<const std::uint8_t> bytes);

/// The pop() of that encapsulation's folder in dataplane/encap, as `device` has it called; null
/// where no device takes the packet.
Result<encap::Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> bytes,
                                const node::Device* device);

}  // namespace overlane::forward

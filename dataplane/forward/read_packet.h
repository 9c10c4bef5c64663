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

// Parses bytes into the descriptor (Packet) on which the model decides. It makes the checks of
// ip_rcv_core and ip6_rcv_core and recognises the tunnels that a node with this state recognises.
// It never reads outside `bytes`.

/// Returns the packet at the front of `bytes` as that node sees it, or the reason why ip_rcv_core
/// or ip6_rcv_core drops it before routing. `bytes` begin with the outermost IP header. Bytes
/// behind the length that the header announces are link padding.
///
/// A tunnel packet is recognised by its protocol, or by a UDP port of node::tunnel_ports, and
/// parsed by the pop() of its folder in dataplane/encap. A fault behind the outer header matters
/// only to the node that decapsulates the packet. It goes to Packet::udp_fault or inner_fault, and
/// `inner` then has only the fields before the fault. Nothing inside the tunnel is read from a
/// fragment: the caller first has to put the bytes of the fragments together.
Result<Packet, Drop> read_packet(const node::NodeState& state, std::span<const std::uint8_t> bytes);

/// Calls the pop() of the encapsulation's folder in dataplane/encap with the options of the
/// receiving device. `device` is null if no device receives the packet.
Result<encap::Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> bytes,
                                const node::Device* device);

}  // namespace overlane::forward

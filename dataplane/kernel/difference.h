#pragma once

#include <string>

#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet.h"
#include "dataplane/kernel/experiment.h"
#include "dataplane/node/node_state.h"

namespace overlane::kernel {

/// Empty when the kernel did with a packet, sent as wire_bytes(), what the core says, else the
/// first difference in one line: how many packets came out, where, to which next hop, and all their
/// bytes; and for a drop that the kernel counts, its counter.
///
/// Of the bytes only what the kernel draws at random is left out: the IPv4 identification of what
/// the node itself made (outer headers, ICMP errors), and the UDP source port of a tunnel packet
/// within its range, which is checked like the outer UDP checksum. What an ICMP error quotes must
/// be the beginning of the packet that was sent, but for TTL, TOS and header checksum.
std::string difference(const node::NodeState& state, const forward::Packet& sent,
                       const Observed& kernel, const forward::Outcome& core);

}  // namespace overlane::kernel

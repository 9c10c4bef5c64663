#pragma once

#include <optional>

#include "dataplane/forward/packet.h"
#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/state/packet_filter.h"

namespace overlane::forward {

// Connection tracking on packet descriptors: the tuple that nf_conntrack reads from a packet, and
// the fields that NAT (nf_nat) changes in it. The table of connections is node::ConntrackTable.

/// Returns the connection tuple of a packet's outermost header. Returns nothing if connection
/// tracking treats the packet as invalid: the transport header is incomplete, announces more bytes
/// than there are, or has a known fault.
std::optional<node::ConntrackTuple> tuple_of(const Packet& packet);

/// Returns the connection tuple of the packet that an ICMP error quotes.
node::ConntrackTuple quoted_tuple(const IcmpError& error);

/// Returns whether a masquerade rule could apply to the answers to this packet if they opened a
/// connection of their own. The connection of such a packet has to be remembered, so that the
/// answers are known as answers. `is_for_node`: the node itself is the receiver, and sends the
/// answers.
bool takes_answers(const node::PacketFilter& filter, const Packet& packet, bool is_for_node);

/// The side of a packet that nf_nat changes: the destination in PREROUTING and OUTPUT, the source
/// in POSTROUTING and INPUT.
enum class Side : std::uint8_t { Destination, Source };

/// Rewrites one side of a packet to the address and port (or ICMP identifier) that its receiver
/// knows. `track` is the packet's place in its connection. In an ICMP error about a packet of the
/// connection, the opposite side of the quote changes too (nf_nat_icmp_reply_translation). Returns
/// false if the connection does not change this side.
bool translate(Packet& packet, const node::Track& track, Side side);

}  // namespace overlane::forward

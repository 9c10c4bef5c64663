#pragma once

#include <optional>

#include "dataplane/forward/packet.h"
#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/state/packet_filter.h"

namespace overlane::forward {

// What connection tracking reads from a packet descriptor (the tuple of nf_conntrack), and what
// NAT changes in it (nf_nat). The table of connections itself is node::ConntrackTable.

/// Which connection a packet's outermost header shows. Nothing when its transport header is not
/// all there, announces more than there is or is known to be wrong: connection tracking takes it
/// for invalid.
std::optional<node::ConntrackTuple> tuple_of(const Packet& packet);

/// Which connection the packet that an ICMP error quotes belongs to.
node::ConntrackTuple quoted_tuple(const IcmpError& error);

/// Whether a rule would take the answers to this packet, were it not known that they are answers:
/// its connection has to be remembered. `is_for_node`: the node itself answers.
bool takes_answers(const node::PacketFilter& filter, const Packet& packet, bool is_for_node);

/// Where nf_nat changes a packet, and what: the destination in PREROUTING and OUTPUT, the source in
/// POSTROUTING and INPUT.
enum class Side : std::uint8_t { Destination, Source };

/// Gives the packet, whose place in its connection is `track`, that side's address and port, or its
/// ICMP identifier, as its receiver knows them. Of an ICMP error about a packet of the connection
/// the quote's other side is changed too (nf_nat_icmp_reply_translation). False when nothing is.
bool translate(Packet& packet, const node::Track& track, Side side);

}  // namespace overlane::forward

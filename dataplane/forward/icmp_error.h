#pragma once

#include <optional>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

/// The ICMP errors that a node makes (RFC 792, RFC 1191, RFC 4443).
enum class IcmpReason : std::uint8_t {
  NoRoute,
  Unreachable,      ///< By an unreachable route.
  HostUnreachable,  ///< The neighbour does not answer.
  Prohibited,
  PacketTooBig,
  TimeExceeded,
  PortUnreachable,
  ProtocolUnreachable,
  ReassemblyTimeout,
  WrongField,  ///< ICMPv6 alone.
};

/// The error about `cause` as Linux and routers send it, hop limit 64. Over IPv4 it quotes what
/// fits into 576 bytes (RFC 1812 4.3.2.3), DF unset, precedence "internetwork control" (RFC 1812
/// 4.3.2.5), and the identification is left to the sender. Over IPv6 it quotes what fits into 1,280
/// bytes (RFC 4443 2.4). Nothing when RFC 1122 3.2.2 and RFC 4443 2.4 forbid one: about an ICMP
/// error or, in IPv4, about a later fragment. `detail`: the MTU of PacketTooBig, the pointer of
/// WrongField and, in IPv6, of ProtocolUnreachable.
std::optional<Packet> icmp_error(IcmpReason reason, const Packet& cause, IpAddress source,
                                 std::uint32_t detail = 0);

}  // namespace overlane::forward

#pragma once

#include <optional>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

/// The ICMP errors that forwarding makes (RFC 792, RFC 1191).
enum class IcmpReason : std::uint8_t {
  NetUnreachable,
  HostUnreachable,
  FragmentationNeeded,
  TimeExceeded,
};

/// The error about `cause` as Linux and routers send it: quoting what fits into 576 bytes (RFC 1812
/// 4.3.2.3), hop limit 64, DF unset, precedence "internetwork control" (RFC 1812 4.3.2.5).
/// Identification is left to the sender. Nothing when RFC 1122 3.2.2 forbids one: about an ICMP
/// error or about a later fragment. `mtu` is for FragmentationNeeded.
std::optional<Packet> icmp_error(IcmpReason reason, const Packet& cause, IpAddress source,
                                 std::uint32_t mtu = 0);

}  // namespace overlane::forward

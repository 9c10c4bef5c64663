#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/fast_path_eligible.h"
#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/ipv6_extension.h"
#include "results/finding/finding.h"

namespace overlane::ip6tnl {

/// The parts of any packet.
encap::Parts parts_of(std::span<std::uint8_t> packet);

/// The parts of a packet with nothing but an encapsulation limit of any value, and PadN.
[[gnu::always_inline]] inline encap::Parts fast_parts(std::span<const std::uint8_t> packet) {
  constexpr std::uint32_t kHeaders = wire::kIpv6Bytes + kLimitBytes;
  constexpr encap::Bits kLimit{0x00ffffff00ffffff, 0x040100010100};
  using Eligible = encap::FastPathEligible<Family::Ipv6, wire::kDestinationOptions, kHeaders>;
  if (!Eligible::is_outer(packet) || !kLimit.are_at(packet.data() + wire::kIpv6Bytes))
    return encap::refuse(Drop::Malformed);
  const std::uint8_t protocol = packet[wire::kIpv6Bytes];
  if (protocol == wire::kIpv4InIp) return Eligible::parts<Family::Ipv4>(packet);
  if (protocol == wire::kIpv6InIp) return Eligible::parts<Family::Ipv6>(packet);
  return encap::refuse(Drop::Malformed);
}

/// Takes an outer IPv6 packet apart in place, with or without an encapsulation limit, which nobody
/// looks at on arrival. Refused are what encap::read_outer_ipv6() and encap::take_inner() refuse,
/// and with Drop::UnsupportedProtocol other protocols than 4 and 41. Whether a tunnel of these
/// addresses exists is the caller's business (ipxip6_rcv, net/ipv6/ip6_tunnel.c).
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  encap::Parts parts = fast_parts(packet);
  if (parts.refused) parts = parts_of(packet);
  return encap::popped(packet, parts);
}

}  // namespace overlane::ip6tnl

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/usual_packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ipv6_extension.h"
#include "results/finding/result.h"

namespace overlane::ip6tnl {

/// The parts of any packet.
encap::Parts parts_of(std::span<std::uint8_t> packet);

/// An encapsulation limit of any value, PadN, and an inner packet of that protocol.
constexpr encap::Bits limit_bits(std::uint8_t protocol) {
  return {wire::kIpv6Bytes, 0xffffffff00ffffff, std::uint64_t{protocol} << 56 | 0x040100010100};
}

/// Takes an outer IPv6 packet apart in place, with or without an encapsulation limit, which nobody
/// looks at on arrival. Refused are what encap::read_outer_ipv6() and encap::take_inner() refuse,
/// and with Drop::UnsupportedProtocol other protocols than 4 and 41. Whether a tunnel of these
/// addresses exists is the caller's business (ipxip6_rcv, net/ipv6/ip6_tunnel.c).
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  constexpr Family kV4 = Family::Ipv4;
  constexpr Family kV6 = Family::Ipv6;
  constexpr std::uint8_t kOptions = wire::kDestinationOptions;
  constexpr encap::Bits kIpv4Inside = limit_bits(wire::kIpv4InIp);
  constexpr encap::Bits kIpv6Inside = limit_bits(wire::kIpv6InIp);
  encap::Parts parts = encap::usual_parts<kV6, kV4, kOptions, 48, kIpv4Inside>(packet);
  if (parts.refused) parts = encap::usual_parts<kV6, kV6, kOptions, 48, kIpv6Inside>(packet);
  if (parts.refused) parts = parts_of(packet);
  return encap::popped(packet, parts);
}

}  // namespace overlane::ip6tnl

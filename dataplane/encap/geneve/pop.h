#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/geneve.h"
#include "results/finding/result.h"

namespace overlane::geneve {

/// What a device accepts beyond Linux' defaults.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
  bool ip_inside = false;                ///< `innerprotoinherit`; such a device takes both.
  /// `external`: whoever reads the options decides about critical ones.
  bool critical_options = false;
};

inline constexpr std::uint8_t kControl = 0x80;
inline constexpr std::uint8_t kCritical = 0x40;

constexpr std::uint32_t option_bytes(std::uint8_t first) {
  return (first & 0x3fu) * 4;
}

/// pop() once the outer IP header is read, and of any packet; pop() has the usual ones done sooner.
inline Result<encap::Popped, Drop> pop_outer(const encap::OuterPacket& outer,
                                             const Accepts& accepts) {
  const auto datagram = encap::read_udp(outer, accepts.zero_checksum_over_ipv6);
  if (!datagram) return fail(datagram.error());
  const std::uint32_t offset = datagram->header_bytes + encap::kUdpBytes;
  const std::size_t left = datagram->bytes.size() - offset;
  const std::uint8_t* at = datagram->bytes.data() + offset;
  if (left < kHeaderBytes || at[0] >> 6 != 0) return fail(Drop::Malformed);
  const std::uint32_t header_bytes = kHeaderBytes + option_bytes(at[0]);
  if ((at[1] & kCritical) != 0 && !accepts.critical_options) return fail(Drop::UnsupportedProtocol);

  const std::uint16_t type = load_be16(at + 2);
  if (type != wire::kEtherTypeBridging) {
    const auto family = encap::family_of(type);
    if (!family || !accepts.ip_inside) return fail(Drop::UnsupportedProtocol);
    if (left < header_bytes) return fail(Drop::Malformed);
    return encap::take_inner(*datagram, offset + header_bytes, *family);
  }
  if (left < header_bytes + kEthernetBytes) return fail(Drop::Malformed);
  const auto family = encap::family_of(load_be16(at + header_bytes + 12));
  if (!family) return fail(Drop::UnsupportedProtocol);
  return encap::take_inner(*datagram, offset + header_bytes + kEthernetBytes, *family);
}
Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet, const Accepts& accepts);

/// Takes an outer packet of either family apart in place. Refused are what encap::read_outer(),
/// encap::read_udp() and encap::take_inner() refuse, and what geneve_udp_encap_recv and geneve_rx
/// do (drivers/net/geneve.c): Drop::Malformed for another version or options beyond the packet,
/// Drop::UnsupportedProtocol for a payload that is no Ethernet, and for the C bit, because such a
/// device knows no option. So is an inner frame that holds neither IPv4 nor IPv6, which Linux
/// passes on. Reserved bits and the O bit are ignored, options are handed out unread; port, VNI and
/// inner addresses are the caller's business.
inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet,
                                       const Accepts& accepts = {}) {
  const auto outer = encap::usual_outer(packet);
  return outer ? pop_outer(*outer, accepts) : pop_unusual(packet, accepts);
}

/// Fields of what pop() returned. There are no inner addresses without inner Ethernet.
std::uint32_t vni(const encap::Popped& popped);
bool is_control(const encap::Popped& popped);
bool has_critical_options(const encap::Popped& popped);
std::span<const std::uint8_t> options(const encap::Popped& popped);
bool has_ethernet(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

}  // namespace overlane::geneve

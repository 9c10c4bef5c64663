#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::vxlan {

/// What a device accepts beyond Linux' defaults.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
};

inline constexpr std::uint64_t kVniValid = std::uint64_t{0x08} << 56;
inline constexpr std::uint64_t kVniMask = std::uint64_t{0xffffff} << 8;

/// pop() once the outer IP header is read, and of any packet; pop() has the usual ones done sooner.
inline Result<encap::Popped, Drop> pop_outer(const encap::OuterPacket& outer,
                                             const Accepts& accepts) {
  const auto datagram = encap::read_udp(outer, accepts.zero_checksum_over_ipv6);
  if (!datagram) return fail(datagram.error());
  const std::uint32_t offset = datagram->header_bytes + encap::kUdpBytes;
  constexpr std::uint32_t kMiddleBytes = kHeaderBytes + kEthernetBytes;
  if (datagram->bytes.size() < offset + kMiddleBytes) return fail(Drop::Malformed);
  const std::uint8_t* at = datagram->bytes.data() + offset;
  const std::uint64_t fields = load_be64(at) & ~kVniMask;
  if (fields != kVniValid) {
    return fail((fields & kVniValid) == 0 ? Drop::Malformed : Drop::UnsupportedProtocol);
  }
  const auto family = encap::family_of(load_be16(at + kHeaderBytes + 12));
  if (!family) return fail(Drop::UnsupportedProtocol);
  return encap::take_inner(*datagram, offset + kMiddleBytes, *family);
}
Result<encap::Popped, Drop> pop_unusual(std::span<std::uint8_t> packet, const Accepts& accepts);

/// Takes an outer packet of either family apart in place. Refused are what encap::read_outer(),
/// encap::read_udp() and encap::take_inner() refuse, and what vxlan_rcv does
/// (drivers/net/vxlan/vxlan_core.c): Drop::Malformed without the I flag, Drop::UnsupportedProtocol
/// with any other bit outside the VNI, which RFC 7348 would ignore. So is an inner frame that holds
/// neither IPv4 nor IPv6, which Linux passes on. Port, VNI and inner addresses are the caller's
/// business; only a device that learns (`learning`, which neither Calico nor Cilium asks for) minds
/// a sender that cannot be one.
inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet,
                                       const Accepts& accepts = {}) {
  const auto outer = encap::usual_outer(packet);
  return outer ? pop_outer(*outer, accepts) : pop_unusual(packet, accepts);
}

/// Fields of what pop() returned.
std::uint32_t vni(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

}  // namespace overlane::vxlan

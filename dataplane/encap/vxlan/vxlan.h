#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/transport.h"
#include "results/finding/finding.h"

namespace overlane::vxlan {

// VXLAN (RFC 7348), the `vxlan` devices of Linux (drivers/net/vxlan): an Ethernet frame behind
// UDP over IPv4 or IPv6. Pusher puts the outer headers on, pop() takes them off in place. VNI,
// port and inner addresses are checked by the caller.

/// VXLAN header and inner Ethernet header (RFC 7348, section 5).
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kEthernetBytes = 14;

/// A VXLAN tunnel to one peer, as Linux' `vxlan` devices make it (drivers/net/vxlan/vxlan_core.c):
/// the FDB entry behind one next hop.
struct Tunnel {
  IpAddress source;
  IpAddress destination;  ///< In the same family as `source`.
  std::uint32_t vni = 0;  ///< 24 bits.
  MacAddress inner_source;
  MacAddress inner_destination;
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

/// What a device accepts beyond Linux' defaults.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
};

inline constexpr std::uint64_t kVniValid = std::uint64_t{0x08} << 56;
inline constexpr std::uint64_t kVniMask = std::uint64_t{0xffffff} << 8;
/// A header as Linux sends it, with the I flag alone.
inline constexpr encap::Bits kPlainHeader{~kVniMask, kVniValid};

/// The parts of any packet.
encap::Parts parts_of(std::span<std::uint8_t> packet, const Accepts& accepts);

/// The parts of a packet with such a header.
template <Family kOuter>
[[gnu::always_inline]] inline encap::Parts fast_parts(std::span<const std::uint8_t> packet) {
  return encap::plain_frame<kOuter, kHeaderBytes, kPlainHeader>(packet);
}

/// Takes an outer packet of either family apart in place. Refused are what encap::read_outer(),
/// encap::read_udp() and encap::take_inner() refuse, and what vxlan_rcv does
/// (drivers/net/vxlan/vxlan_core.c): Drop::Malformed without the I flag, Drop::UnsupportedProtocol
/// with any other bit outside the VNI, which RFC 7348 would ignore. So is an inner frame that holds
/// neither IPv4 nor IPv6, which Linux passes on. Port, VNI and inner addresses are the caller's
/// business; only a device that learns (`learning`, which neither Calico nor Cilium asks for) minds
/// a sender that cannot be one.
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet,
                                                              const Accepts& accepts = {}) {
  encap::Parts parts = fast_parts<Family::Ipv4>(packet);
  if (parts.refused) parts = fast_parts<Family::Ipv6>(packet);
  if (parts.refused) parts = parts_of(packet, accepts);
  return encap::popped(packet, parts);
}

/// Fields of what pop() returned.
std::uint32_t vni(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

/// Wraps IPv4 and IPv6 packets for one tunnel.
class Pusher : public encap::UdpPusher<kHeaderBytes + kEthernetBytes> {
 public:
  explicit Pusher(const Tunnel& tunnel);
};

}  // namespace overlane::vxlan

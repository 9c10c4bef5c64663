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
// UDP over IPv4 or IPv6. Pusher writes the outer headers, pop() removes them in place. The caller
// checks VNI, port and inner addresses. A Pusher is constant after construction.

/// VXLAN header and inner Ethernet header (RFC 7348, section 5).
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kEthernetBytes = 14;

/// A VXLAN tunnel to one peer, as a `vxlan` device of Linux builds it from the FDB entry of one
/// next hop (drivers/net/vxlan/vxlan_core.c).
struct Tunnel {
  IpAddress source;
  IpAddress destination;  ///< In the same family as `source`.
  std::uint32_t vni = 0;  ///< 24 bits.
  MacAddress inner_source;
  MacAddress inner_destination;
  std::optional<encap::OuterRules> rules;  ///< If empty, encap::outer_rules() apply.
};

/// Options of a device that make it accept more than Linux's default does.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
};

/// The I flag and the VNI in the header, read as one big-endian number (RFC 7348, section 5).
inline constexpr std::uint64_t kVniValid = std::uint64_t{0x08} << 56;
inline constexpr std::uint64_t kVniMask = std::uint64_t{0xffffff} << 8;
/// A header as Linux sends it: any VNI, and the I flag as the only flag.
inline constexpr encap::Bits kPlainHeader{~kVniMask, kVniValid};

/// The slow path of pop(): checks any packet and names the reason for a drop.
encap::Parts parts_of(std::span<std::uint8_t> packet, const Accepts& accepts);

/// The fast path of pop(): the parts of an eligible packet with kPlainHeader.
template <Family kOuter>
[[gnu::always_inline]] inline encap::Parts fast_parts(std::span<const std::uint8_t> packet) {
  return encap::plain_frame<kOuter, kHeaderBytes, kPlainHeader>(packet);
}

/// Decapsulates an outer packet of either family in place. Refuses all packets that
/// encap::read_outer(), encap::read_udp() and encap::take_inner() refuse. As vxlan_rcv
/// (drivers/net/vxlan/vxlan_core.c), it refuses a header without the I flag as Drop::Malformed, and
/// with any other bit outside the VNI, which RFC 7348 would ignore, as Drop::UnsupportedProtocol.
/// An inner frame with neither IPv4 nor IPv6, which Linux passes on, is Drop::UnsupportedProtocol.
/// The caller checks port, VNI and inner addresses. An invalid inner source address is not refused:
/// Linux checks it only with `learning`, which neither Calico nor Cilium sets.
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet,
                                                              const Accepts& accepts = {}) {
  encap::Parts parts = fast_parts<Family::Ipv4>(packet);
  if (parts.refused) parts = fast_parts<Family::Ipv6>(packet);
  if (parts.refused) parts = parts_of(packet, accepts);
  return encap::popped(packet, parts);
}

/// Fields of the VXLAN and inner Ethernet headers of a packet that vxlan::pop() returned.
std::uint32_t vni(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

/// Encapsulates IPv4 and IPv6 packets for one tunnel.
class Pusher : public encap::UdpPusher<kHeaderBytes + kEthernetBytes> {
 public:
  explicit Pusher(const Tunnel& tunnel);
};

}  // namespace overlane::vxlan

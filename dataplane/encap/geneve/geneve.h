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
#include "dataplane/wire/tunnel_headers.h"
#include "results/finding/finding.h"

namespace overlane::geneve {

// Geneve (RFC 8926), the `geneve` devices of Linux (drivers/net/geneve.c): like VXLAN, with
// options. Pusher puts the outer headers on, pop() takes them off in place and leaves the
// options unread.

/// The fixed part of the header, and the most that options can take (RFC 8926, section 3.4).
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kMaxOptionBytes = 252;
inline constexpr std::uint32_t kEthernetBytes = 14;

/// A Geneve tunnel to one peer, as Linux' `geneve` devices make it (drivers/net/geneve.c).
struct Tunnel {
  IpAddress source;
  IpAddress destination;  ///< In the same family as `source`.
  std::uint32_t vni = 0;  ///< 24 bits.
  MacAddress inner_source;
  MacAddress inner_destination;
  /// Sent as given: a multiple of 4 and at most kMaxOptionBytes. The header's C bit follows from
  /// them: Linux leaves it to whoever sets options (validate_geneve_opts, openvswitch).
  std::span<const std::uint8_t> options;
  bool inner_proto_inherit = false;        ///< The IP packet stands behind Geneve, no Ethernet.
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

/// What a device accepts beyond Linux' defaults.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
  bool ip_inside = false;                ///< `innerprotoinherit`; such a device takes both.
  /// `external`: whoever reads the options decides about critical ones.
  bool critical_options = false;
};

inline constexpr std::uint8_t kControl = 0x80;
inline constexpr std::uint8_t kCritical = 0x40;
/// A header with a frame behind it and no options.
inline constexpr encap::Bits kPlainHeader{0xff00ffff00000000 | std::uint64_t{kCritical} << 48,
                                          std::uint64_t{wire::kEtherTypeBridging} << 32};

/// The parts of any packet.
encap::Parts parts_of(std::span<std::uint8_t> packet, const Accepts& accepts);

/// The parts of a packet with such a header.
template <Family kOuter>
[[gnu::always_inline]] inline encap::Parts fast_parts(std::span<const std::uint8_t> packet) {
  return encap::plain_frame<kOuter, kHeaderBytes, kPlainHeader>(packet);
}

/// Takes an outer packet of either family apart in place. Refused are what encap::read_outer(),
/// encap::read_udp() and encap::take_inner() refuse, and what geneve_udp_encap_recv and geneve_rx
/// do (drivers/net/geneve.c): Drop::Malformed for another version or options beyond the packet,
/// Drop::UnsupportedProtocol for a payload that is no Ethernet, and for the C bit, because such a
/// device knows no option. So is an inner frame that holds neither IPv4 nor IPv6, which Linux
/// passes on. Reserved bits and the O bit are ignored, options are returned unparsed; port, VNI and
/// inner addresses are the caller's business.
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet,
                                                              const Accepts& accepts = {}) {
  encap::Parts parts = fast_parts<Family::Ipv4>(packet);
  if (parts.refused) parts = fast_parts<Family::Ipv6>(packet);
  if (parts.refused) parts = parts_of(packet, accepts);
  return encap::popped(packet, parts);
}

/// Fields of what pop() returned. There are no inner addresses without inner Ethernet.
std::uint32_t vni(const encap::Popped& popped);
bool is_control(const encap::Popped& popped);
bool has_critical_options(const encap::Popped& popped);
std::span<const std::uint8_t> options(const encap::Popped& popped);
bool has_ethernet(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

/// Wraps IPv4 and IPv6 packets for one tunnel.
class Pusher
    : public encap::UdpPusher<kHeaderBytes, kHeaderBytes + kMaxOptionBytes + kEthernetBytes> {
 public:
  /// Copies the options.
  explicit Pusher(const Tunnel& tunnel);
};

}  // namespace overlane::geneve

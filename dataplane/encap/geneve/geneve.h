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

// Geneve (RFC 8926), the `geneve` devices of Linux (drivers/net/geneve.c): an Ethernet frame or an
// IP packet behind UDP over IPv4 or IPv6, with options in the tunnel header. Pusher writes the
// outer headers, pop() removes them in place and does not parse the options. A Pusher is constant
// after construction.

/// The fixed part of the header and the most bytes of options (RFC 8926, section 3.4).
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kMaxOptionBytes = 252;
inline constexpr std::uint32_t kEthernetBytes = 14;

/// A Geneve tunnel to one peer, as a `geneve` device of Linux builds it (drivers/net/geneve.c).
struct Tunnel {
  IpAddress source;
  IpAddress destination;  ///< In the same family as `source`.
  std::uint32_t vni = 0;  ///< 24 bits.
  MacAddress inner_source;
  MacAddress inner_destination;
  /// Options, sent as given: a multiple of 4 and at most kMaxOptionBytes bytes, which must live
  /// until a Pusher is constructed. The C bit is set if one of them is critical; in Linux the
  /// component that sets the options does that (validate_geneve_opts, openvswitch).
  std::span<const std::uint8_t> options;
  bool inner_proto_inherit = false;  ///< The IP packet follows the Geneve header without Ethernet.
  std::optional<encap::OuterRules> rules;  ///< If empty, encap::outer_rules() apply.
};

/// Options of a device that make it accept more than Linux's default does.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
  bool ip_inside = false;                ///< `innerprotoinherit`: accepts IP and Ethernet inside.
  /// `external`: accepts critical options, because the component that reads them decides.
  bool critical_options = false;
};

/// The O and C flags in the second byte of the header (RFC 8926, section 3.4).
inline constexpr std::uint8_t kControl = 0x80;
inline constexpr std::uint8_t kCritical = 0x40;
/// A header without options and without the C flag, followed by an Ethernet frame.
inline constexpr encap::Bits kPlainHeader{0xff00ffff00000000 | std::uint64_t{kCritical} << 48,
                                          std::uint64_t{wire::kEtherTypeBridging} << 32};

/// The slow path of pop(): checks any packet and names the reason for a drop.
encap::Parts parts_of(std::span<std::uint8_t> packet, const Accepts& accepts);

/// The fast path of pop(): the parts of an eligible packet with kPlainHeader.
template <Family kOuter>
[[gnu::always_inline]] inline encap::Parts fast_parts(std::span<const std::uint8_t> packet) {
  return encap::plain_frame<kOuter, kHeaderBytes, kPlainHeader>(packet);
}

/// Decapsulates an outer packet of either family in place. Refuses all packets that
/// encap::read_outer(), encap::read_udp() and encap::take_inner() refuse. As geneve_udp_encap_recv
/// and geneve_rx (drivers/net/geneve.c), it refuses another version and options beyond the packet
/// as Drop::Malformed, and a payload other than Ethernet and the C bit, unless `accepts` allows
/// them, as Drop::UnsupportedProtocol. An inner frame with neither IPv4 nor IPv6, which Linux
/// passes on, is Drop::UnsupportedProtocol. Reserved bits and the O bit are ignored, options are
/// not parsed. The caller checks port, VNI and inner addresses.
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet,
                                                              const Accepts& accepts = {}) {
  encap::Parts parts = fast_parts<Family::Ipv4>(packet);
  if (parts.refused) parts = fast_parts<Family::Ipv6>(packet);
  if (parts.refused) parts = parts_of(packet, accepts);
  return encap::popped(packet, parts);
}

/// Fields of the Geneve and inner Ethernet headers of a packet that geneve::pop() returned. The
/// inner addresses require has_ethernet().
std::uint32_t vni(const encap::Popped& popped);
bool is_control(const encap::Popped& popped);
bool has_critical_options(const encap::Popped& popped);
std::span<const std::uint8_t> options(const encap::Popped& popped);
bool has_ethernet(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

/// Encapsulates IPv4 and IPv6 packets for one tunnel.
class Pusher
    : public encap::UdpPusher<kHeaderBytes, kHeaderBytes + kMaxOptionBytes + kEthernetBytes> {
 public:
  /// Copies the options.
  explicit Pusher(const Tunnel& tunnel);
};

}  // namespace overlane::geneve

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dataplane/capture/capture_file.h"

namespace overlane::capture {

// A captured packet decoded into layers, down to the innermost header that Overlane knows, with the
// problems of each header. The decoders of the layers are in decode.cpp (link), decode_ip.cpp,
// decode_transport.cpp and decode_tunnel.cpp; dissection.h is what they share.

enum class LayerKind : std::uint8_t {
  Ethernet,
  Vlan,
  LinuxCooked,
  Null,
  Arp,
  Ipv4,
  Ipv6,
  HopByHop,
  DestinationOptions,
  Routing,
  Fragment,
  Authentication,
  Udp,
  Tcp,
  Icmp,
  Icmpv6,
  Vxlan,
  VxlanGpe,
  Geneve,
  Wireguard,
  Payload,  ///< What is not looked into.
  Padding,  ///< Behind the end of the packet in its frame.
};

/// The names of the layers, in their order; extension headers are called as tshark calls them.
inline constexpr std::array<std::string_view, 22> kLayerNames = {
    "ethernet", "vlan",         "sll",          "null",         "arp",          "ipv4",
    "ipv6",     "ipv6.hopopts", "ipv6.dstopts", "ipv6.routing", "ipv6.fraghdr", "ah",
    "udp",      "tcp",          "icmp",         "icmpv6",       "vxlan",        "vxlan-gpe",
    "geneve",   "wireguard",    "payload",      "padding"};

constexpr std::string_view to_string(LayerKind kind) {
  return kLayerNames[static_cast<std::size_t>(kind)];
}

struct Field;
using Fields = std::vector<Field>;

/// A named value of a header: a number, a text (addresses, hexadecimal bytes), or a list of groups
/// of fields (options).
struct Field {
  using Value = std::variant<std::uint64_t, std::string, std::vector<Fields>>;

  std::string_view name;  ///< Static: tshark's, see docs/reference/captures.md.
  Value value;

  Field(std::string_view field, std::uint64_t number);
  Field(std::string_view field, std::string text);
  Field(std::string_view field, std::vector<Fields> list);
  bool operator==(const Field&) const = default;
};

/// One header of a packet, or a stretch of bytes that is not looked into.
struct Layer {
  LayerKind kind = LayerKind::Payload;
  std::size_t offset = 0;  ///< From the front of the packet.
  std::size_t bytes = 0;   ///< Captured bytes of the layer. Layers follow each other without gaps.
  Fields fields;

  /// The number of that name, or 0 when there is none.
  std::uint64_t number(std::string_view name) const;
  /// The text of that name, or an empty one.
  std::string_view text(std::string_view name) const;
  bool operator==(const Layer&) const = default;
};

/// A packet of a capture as its headers tell it, and all that is wrong with it.
struct DecodedPacket {
  std::uint64_t number = 0;
  Timestamp timestamp;
  std::size_t length_bytes = 0;  ///< On the wire.
  std::vector<Layer> layers;     ///< Outermost first.
  std::vector<std::string> problems;
  /// The UDP layer of a tunnel whose checksum is wrong although the packet inside is intact.
  std::optional<std::size_t> wrong_outer_checksum;

  bool operator==(const DecodedPacket&) const = default;
};

// `overlane decode`: reads all headers of a captured packet, tunnels and ICMP quotes included,
// into layers with fields named as in tshark. It never fails; what is wrong with a packet is
// listed as its problems.

/// A UDP destination port and the tunnel that is expected behind it.
struct TunnelPort {
  std::uint16_t port = 0;
  LayerKind tunnel = LayerKind::Vxlan;
};

/// The registered ports, and the one that Linux, flannel and Cilium use for VXLAN
/// (drivers/net/vxlan/vxlan_core.c: vxlan_port).
std::vector<TunnelPort> default_tunnel_ports();

/// How many IP headers may stand inside each other. What is deeper is shown as payload.
inline constexpr int kMaxIpHeaders = 16;

/// Reads all headers that it knows, tunnelled and quoted ones too. Never fails: what is cut or
/// contradicts itself is a problem of the packet, and the bytes behind it are a payload layer. The
/// headers of an ICMP error's quote carry the field "quoted" and are not judged.
DecodedPacket decode(const CapturedPacket& packet, LinkType link_type,
                     const std::vector<TunnelPort>& ports);

}  // namespace overlane::capture

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

// Decodes a captured packet into layers, down to the innermost header that Overlane knows, and
// lists the problems of each header. decode() reads all headers, including those inside tunnels and
// those quoted in ICMP errors. Field names are those of tshark. The decoders of the layers are in
// decode.cpp (link), decode_ip.cpp, decode_transport.cpp and decode_tunnel.cpp; dissection.h
// declares what they share.

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
  Payload,  ///< Bytes that are not decoded.
  Padding,  ///< Bytes between the end of the packet and the end of its frame.
};

/// Names of the layers, in the order of LayerKind. Extension headers have tshark's names.
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

/// A named value of a header: a number, a text (address, hexadecimal bytes), or a list of groups of
/// fields (options).
struct Field {
  using Value = std::variant<std::uint64_t, std::string, std::vector<Fields>>;

  std::string_view name;  ///< Name in static storage, as in tshark; see docs/reference/captures.md.
  Value value;

  Field(std::string_view field, std::uint64_t number);
  Field(std::string_view field, std::string text);
  Field(std::string_view field, std::vector<Fields> list);
  bool operator==(const Field&) const = default;
};

/// One header of a packet, or a range of bytes that is not decoded.
struct Layer {
  LayerKind kind = LayerKind::Payload;
  std::size_t offset = 0;  ///< Offset from the start of the packet, in bytes.
  std::size_t bytes = 0;   ///< Captured bytes of the layer. Layers follow each other without gaps.
  Fields fields;

  /// The number in the field with this name; 0 if there is none.
  std::uint64_t number(std::string_view name) const;
  /// The text in the field with this name; empty if there is none.
  std::string_view text(std::string_view name) const;
  bool operator==(const Layer&) const = default;
};

/// A decoded packet: its layers and all of its problems.
struct DecodedPacket {
  std::uint64_t number = 0;
  Timestamp timestamp;
  std::size_t length_bytes = 0;  ///< Length on the wire.
  std::vector<Layer> layers;     ///< Outermost first.
  std::vector<std::string> problems;
  /// Index of the UDP layer of a tunnel whose checksum is wrong although the inner packet is
  /// intact.
  std::optional<std::size_t> wrong_outer_checksum;

  bool operator==(const DecodedPacket&) const = default;
};

/// A UDP destination port and the tunnel that is expected behind it.
struct TunnelPort {
  std::uint16_t port = 0;
  LayerKind tunnel = LayerKind::Vxlan;
};

/// The registered tunnel ports, and port 8472, which Linux, flannel and Cilium use for VXLAN
/// (drivers/net/vxlan/vxlan_core.c: vxlan_port).
std::vector<TunnelPort> default_tunnel_ports();

/// Maximum number of nested IP headers. Deeper headers are shown as payload.
inline constexpr int kMaxIpHeaders = 16;

/// Decodes all known headers, including tunnelled and quoted ones. Never fails: a truncated or
/// contradictory header is a problem of the packet, and the bytes after it become a payload layer.
/// The headers of the packet quoted in an ICMP error have the field "quoted" and are not checked.
DecodedPacket decode(const CapturedPacket& packet, LinkType link_type,
                     const std::vector<TunnelPort>& ports);

}  // namespace overlane::capture

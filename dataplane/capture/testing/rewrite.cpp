#include "dataplane/capture/testing/rewrite.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::capture {
namespace {

using From = std::span<const std::uint8_t>;
using To = std::span<std::uint8_t>;

/// The IP header around a message. A wrong length is ignored, as in decode().
struct Around {
  IpAddress source;
  IpAddress destination;
  std::size_t end = 0;  ///< End of the packet.
};

template <typename Parsed>
bool write_parsed(const Parsed& parsed, To to) {
  if (parsed) wire::write(*parsed, to);
  return parsed.has_value();
}

/// Rewrites an IPv4 header. Only the header must be valid, because the rest of a fragmented packet
/// is in other fragments.
bool rewrite_ipv4(From from, To to) {
  const auto inspected = wire::inspect_ipv4(from, wire::ZeroLength::MeansFrame);
  if (!inspected) return false;
  for (const wire::Problem problem : inspected->problems.list())
    if (problem != wire::Problem::LengthBeyondPacket) return false;
  wire::write(inspected->header, to);
  return true;
}

bool rewrite_fragment(From from, To to) {
  const std::uint16_t field = load_be16(from.data() + 2);
  wire::write(wire::FragmentHeader{.next_header = from[0],
                                   .offset = static_cast<std::uint16_t>(field & 0xfff8),
                                   .more_fragments = (field & 1) != 0,
                                   .identification = load_be32(from.data() + 4)},
              to);
  return true;
}

bool rewrite_udp(From from, To to) {
  // The rest of a fragmented datagram is in other fragments.
  const auto inspected = wire::inspect_udp(from);
  if (inspected) wire::write(inspected->header, to);
  return inspected.has_value();
}

bool rewrite_tcp(From from, To to, std::size_t layer_bytes) {
  const auto parsed = wire::parse_tcp(from);
  const bool fits = parsed && wire::header_bytes(parsed->header) == layer_bytes;
  if (fits) wire::write(parsed->header, to);
  return fits;
}

bool rewrite_icmpv6(From from, To to, const Around& around) {
  const auto parsed = wire::parse_icmpv6(around.source, around.destination, from);
  const bool is_written = parsed && (parsed->is_error() || parsed->type == wire::kIcmpv6Echo ||
                                     parsed->type == wire::kIcmpv6EchoReply);
  if (is_written) wire::write(*parsed, around.source, around.destination, to);
  return is_written;
}

/// Rewrites the header at the start of `to`. Returns whether wire wrote it.
bool rewrite_layer(const Layer& layer, const Around& around, From from, To to) {
  switch (layer.kind) {
    case LayerKind::Ethernet:
      return write_parsed(wire::parse_ethernet(from), to);
    case LayerKind::Vlan:
      return write_parsed(wire::parse_vlan(from), to);
    case LayerKind::Arp:
      return write_parsed(wire::parse_arp(from), to);
    case LayerKind::Ipv4:
      return rewrite_ipv4(from, to);
    case LayerKind::Ipv6:
      return write_parsed(wire::parse_quoted_ipv6(from), to);
    case LayerKind::Fragment:
      return rewrite_fragment(from, to);
    case LayerKind::Udp:
      return rewrite_udp(from, to);
    case LayerKind::Tcp:
      return rewrite_tcp(from, to, layer.bytes);
    case LayerKind::Icmp:
      return write_parsed(wire::parse_icmp(from.first(around.end - layer.offset)),
                          to.first(around.end - layer.offset));
    case LayerKind::Icmpv6:
      return rewrite_icmpv6(from.first(around.end - layer.offset),
                            to.first(around.end - layer.offset), around);
    case LayerKind::Vxlan:
      return write_parsed(wire::parse_vxlan(from), to);
    case LayerKind::VxlanGpe:
      return write_parsed(wire::parse_vxlan_gpe(from), to);
    case LayerKind::Geneve:
      return write_parsed(wire::parse_geneve(from), to);
    case LayerKind::LinuxCooked:
    case LayerKind::Null:
    case LayerKind::HopByHop:
    case LayerKind::DestinationOptions:
    case LayerKind::Routing:
    case LayerKind::Authentication:
    case LayerKind::Wireguard:
    case LayerKind::Payload:
    case LayerKind::Padding:
      return false;
  }
  return false;
}

Around around_of(const Layer& layer, From from, std::size_t size) {
  std::size_t length = layer.number("len");
  Around around;
  if (layer.kind == LayerKind::Ipv6) {
    length = wire::kIpv6Bytes + layer.number("plen");
    if (const auto header = wire::parse_quoted_ipv6(from))
      around = {header->source, header->destination};
  }
  const bool is_believed = length >= layer.bytes && layer.offset + length <= size;
  around.end = is_believed ? layer.offset + length : size;
  return around;
}

}  // namespace

Rewritten rewrite(const DecodedPacket& packet, std::span<const std::uint8_t> bytes) {
  Rewritten made{.bytes = {bytes.begin(), bytes.end()}};
  Around around{.end = bytes.size()};
  for (const Layer& layer : packet.layers) {
    if (layer.number("quoted") != 0) break;
    const From from = bytes.subspan(layer.offset);
    if (layer.kind == LayerKind::Ipv4 || layer.kind == LayerKind::Ipv6)
      around = around_of(layer, from, bytes.size());
    const To to = std::span(made.bytes).subspan(layer.offset);
    if (rewrite_layer(layer, around, from, to)) ++made.headers_written;
  }
  return made;
}

}  // namespace overlane::capture

#include "dataplane/reference/packet_bytes.h"

#include <algorithm>
#include <optional>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/tunnel_headers.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"

namespace overlane::reference {
namespace {

using forward::IcmpError;
using forward::IpFields;
using forward::Packet;

Bytes ipv4_header(const IpFields& fields) {
  Bytes header(wire::kIpv4Bytes);
  wire::write(wire::Ipv4Header{.tos = fields.tos,
                               .total_length = static_cast<std::uint16_t>(fields.total_length),
                               .identification = static_cast<std::uint16_t>(fields.identification),
                               .dont_fragment = fields.dont_fragment,
                               .more_fragments = fields.more_fragments,
                               .fragment_offset = fields.fragment_offset,
                               .ttl = fields.ttl,
                               .protocol = fields.protocol,
                               .source = fields.source.ipv4(),
                               .destination = fields.destination.ipv4()},
              header);
  return header;
}

Bytes ipv6_header(const IpFields& fields) {
  Bytes header(fields.header_bytes());
  const bool is_fragment = fields.is_fragment();
  wire::write(wire::Ipv6Header{.traffic_class = fields.tos,
                               .flow_label = fields.flow_label,
                               .payload_length = static_cast<std::uint16_t>(
                                   std::max<std::uint32_t>(fields.total_length, 40) - 40),
                               .next_header = is_fragment ? wire::kFragment : fields.protocol,
                               .hop_limit = fields.ttl,
                               .source = fields.source,
                               .destination = fields.destination},
              header);
  if (is_fragment) {
    wire::write(wire::FragmentHeader{.next_header = fields.protocol,
                                     .offset = fields.fragment_offset,
                                     .more_fragments = fields.more_fragments,
                                     .identification = fields.identification},
                std::span(header).subspan(wire::kIpv6Bytes));
  }
  return header;
}

/// An IP packet of exactly the length in `fields`, but at least its header.
Bytes ip_packet(const IpFields& fields, const Bytes& payload) {
  Bytes packet = fields.is_ipv4() ? ipv4_header(fields) : ipv6_header(fields);
  const std::size_t header_bytes = packet.size();
  packet.insert(packet.end(), payload.begin(), payload.end());
  packet.resize(std::max<std::size_t>(fields.total_length, header_bytes));
  return packet;
}

template <typename Header>
void append(Bytes& bytes, const Header& header, std::size_t size) {
  const std::size_t at = bytes.size();
  bytes.resize(at + size);
  wire::write(header, std::span(bytes).subspan(at));
}

/// Writes the checksum of `segment` at `at`. The checksum field must be 0.
void sum(const IpFields& fields, Bytes& segment, std::size_t at) {
  const bool is_icmpv4 = fields.protocol == forward::kIcmp;
  std::uint16_t checksum =
      is_icmpv4 ? internet_checksum(segment)
                : transport_checksum(fields.source, fields.destination, fields.protocol, segment);
  if (fields.protocol == forward::kUdp && checksum == 0) checksum = 0xffff;
  store_be16(segment.data() + at, checksum);
}

bool is_icmp(std::uint8_t protocol) {
  return protocol == forward::kIcmp || protocol == forward::kIcmpv6;
}

/// The first eight bytes of a transport header with these ports. For ICMP, the destination port is
/// type and code, the source port is the identifier.
Bytes first_bytes(std::uint8_t protocol, std::uint16_t source_port,
                  std::uint16_t destination_port) {
  Bytes bytes(8);
  if (is_icmp(protocol)) {
    store_be16(bytes.data(), destination_port);
    store_be16(bytes.data() + 4, source_port);
  } else {
    store_be16(bytes.data(), source_port);
    store_be16(bytes.data() + 2, destination_port);
    if (protocol == forward::kUdp) store_be16(bytes.data() + 4, 8);
  }
  return bytes;
}

struct Ports {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
};

/// The ports in the payload of an IP packet, in the form of first_bytes(); 0 for protocols without
/// ports and for a truncated header.
Ports shown_ports(std::uint8_t protocol, const Bytes& payload) {
  const auto word = [&](std::size_t at) {
    return static_cast<std::uint16_t>(load_be16(payload.data() + at));
  };
  if (is_icmp(protocol) && payload.size() >= 8) return {word(4), word(0)};
  const bool has_ports = protocol == forward::kUdp || protocol == forward::kTcp;
  if (has_ports && payload.size() >= 4) return {word(0), word(2)};
  return {};
}

Bytes icmp_message(const Packet& packet, std::size_t size) {
  if (!packet.icmp) {
    Bytes query = first_bytes(packet.inner.protocol, packet.source_port, packet.destination_port);
    query.resize(std::max<std::size_t>(size, 8));
    return query;
  }
  const IcmpError& error = *packet.icmp;
  Bytes message{error.type, error.code, 0, 0};
  message.resize(8);
  store_be32(message.data() + 4, error.next_hop_mtu | error.pointer);
  IpFields quoted{.source = error.quoted_source,
                  .destination = error.quoted_destination,
                  .protocol = error.quoted_protocol};
  quoted.total_length = quoted.header_bytes() + 8;
  const Bytes quote = ip_packet(quoted, first_bytes(error.quoted_protocol, error.quoted_source_port,
                                                    error.quoted_destination_port));
  message.insert(message.end(), quote.begin(), quote.end());
  message.resize(std::max<std::size_t>(size, 8));
  return message;
}

/// The whole payload of a packet without tunnel headers. Empty for a fragment that is not the
/// first, whose payload is unknown.
Bytes transport(const Packet& packet) {
  const IpFields& fields = packet.inner;
  const std::uint32_t headers = fields.header_bytes();
  const std::size_t size = std::max(fields.total_length, headers) - headers;
  Bytes bytes;
  if (fields.fragment_offset != 0) return bytes;
  std::size_t checksum_at = 0;
  if (fields.protocol == forward::kUdp) {
    append(bytes,
           wire::UdpHeader{packet.source_port, packet.destination_port,
                           static_cast<std::uint16_t>(size), 0},
           wire::kUdpBytes);
    checksum_at = 6;
  } else if (fields.protocol == forward::kTcp) {
    append(bytes,
           wire::TcpHeader{.source_port = packet.source_port,
                           .destination_port = packet.destination_port,
                           .flags = packet.tcp_flags,
                           .window = 65535},
           wire::kTcpBytes);
    checksum_at = 16;
  } else if (fields.is_icmp()) {
    bytes = icmp_message(packet, size);
    checksum_at = 2;
  }
  bytes.resize(size);
  if (checksum_at != 0 && size >= checksum_at + 2 && !fields.is_fragment()) {
    sum(fields, bytes, checksum_at);
  }
  return bytes;
}

bool is_ip(const Bytes& bytes) {
  return wire::parse_quoted_ipv4(bytes) || wire::parse_quoted_ipv6(bytes);
}

std::optional<IcmpError> decode_icmp(const Bytes& message, bool ipv4) {
  if (message.size() < 8) return std::nullopt;
  const bool is_error =
      ipv4 ? message[0] == 3 || message[0] == 11 : message[0] != 0 && message[0] < 128;
  if (!is_error) return std::nullopt;
  IcmpError error{.type = message[0], .code = message[1]};
  if (is_packet_too_big(error, ipv4 ? Family::Ipv4 : Family::Ipv6)) {
    error.next_hop_mtu = load_be32(message.data() + 4) & (ipv4 ? 0xffffu : ~0u);
  }
  if (!ipv4 && error.type == 4) error.pointer = load_be32(message.data() + 4);
  const Bytes quote(message.begin() + 8, message.end());
  if (!is_ip(quote)) return error;
  const IpFields quoted = header_of(quote);
  if (quoted.is_ipv4() != ipv4) return error;
  error.quoted_source = quoted.source;
  error.quoted_destination = quoted.destination;
  error.quoted_protocol = quoted.protocol;
  if (quoted.fragment_offset != 0) return error;
  const std::size_t at = std::min(payload_at(quote), quote.size());
  const Ports ports = shown_ports(
      quoted.protocol, Bytes(quote.begin() + static_cast<std::ptrdiff_t>(at), quote.end()));
  error.quoted_source_port = ports.source;
  error.quoted_destination_port = ports.destination;
  return error;
}

/// Decodes the outermost IP packet of `bytes` without recognising tunnels.
Packet decode_bare(const Bytes& bytes) {
  Packet packet;
  if (!is_ip(bytes)) return packet;
  packet.inner = header_of(bytes);
  if (packet.inner.fragment_offset != 0) return packet;
  const std::size_t at = std::min(payload_at(bytes), bytes.size());
  const Bytes payload(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end());
  if (packet.inner.is_icmp()) packet.icmp = decode_icmp(payload, packet.inner.is_ipv4());
  if (packet.icmp) return packet;
  const Ports ports = shown_ports(packet.inner.protocol, payload);
  packet.source_port = ports.source;
  packet.destination_port = ports.destination;
  if (packet.inner.protocol == forward::kTcp && payload.size() >= 14) {
    packet.tcp_flags = payload[13];
  }
  return packet;
}

Encapsulation recognise(const Packet& bare, const node::TunnelPorts& ports) {
  const bool ipv4 = bare.inner.is_ipv4();
  if (bare.inner.fragment_offset != 0) return Encapsulation::None;
  switch (bare.inner.protocol) {
    case forward::kIpip:
      return ipv4 ? Encapsulation::Ipip : Encapsulation::Ip6Tnl;
    case forward::kIpv6InIp:
      return ipv4 ? Encapsulation::Sit : Encapsulation::Ip6Tnl;
    case forward::kUdp: {
      return ports.at(bare.destination_port, bare.inner.source, bare.inner.destination);
    }
    default:
      break;
  }
  return Encapsulation::None;
}

}  // namespace

Bytes encode(const Packet& packet) {
  const Bytes inner = ip_packet(packet.inner, transport(packet));
  if (!packet.is_encapsulated()) return inner;
  const bool over_ipv6 = !packet.outer.is_ipv4();
  // wrap() writes an outer header of its own, which is replaced by that of the packet.
  Bytes whole = wrap(packet.encapsulation, inner,
                     {.source = packet.outer.source,
                      .destination = packet.outer.destination,
                      .vni = packet.vni,
                      .port = packet.outer_destination_port,
                      .padding = packet.padding});
  Bytes payload(whole.begin() + (over_ipv6 ? 40 : 20), whole.end());
  IpFields outer = packet.outer;
  const bool is_udp = packet.outer.protocol == forward::kUdp;
  if (is_udp && is_over_udp(packet.encapsulation)) {
    store_be16(payload.data(), packet.outer_source_port);
    store_be16(payload.data() + 6, 0);
    sum(outer, payload, 6);
  }
  const bool has_limit = packet.encapsulation == Encapsulation::Ip6Tnl;
  if (has_limit) outer.protocol = wire::kDestinationOptions;
  const std::size_t skipped = std::min<std::size_t>(outer.fragment_offset, payload.size());
  payload.erase(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(skipped));
  return ip_packet(outer, payload);
}

Packet decode(const Bytes& bytes, const node::TunnelPorts& ports) {
  const Packet bare = decode_bare(bytes);
  const Encapsulation encapsulation = recognise(bare, ports);
  if (encapsulation == Encapsulation::None) return bare;
  const bool over_ipv6 = !bare.inner.is_ipv4();
  const bool is_udp = bare.inner.protocol == forward::kUdp;
  const std::size_t inner_at = std::min(
      is_udp ? tunnel_header_bytes(encapsulation, over_ipv6) : payload_at(bytes), bytes.size());
  Packet packet =
      decode_bare(Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(inner_at), bytes.end()));
  packet.encapsulation = encapsulation;
  packet.outer = bare.inner;
  const bool has_own_options = encapsulation == Encapsulation::Ip6Tnl && !bare.inner.is_fragment();
  if (has_own_options) packet.outer.option_bytes = 0;
  if (is_udp) {
    packet.outer_source_port = bare.source_port;
    packet.outer_destination_port = bare.destination_port;
    const std::size_t udp_at = payload_at(bytes);
    const std::size_t vni_at = udp_at + 12;
    const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
    if (!is_wireguard && bytes.size() >= vni_at + 3) {
      packet.vni = load_be24(bytes.data() + vni_at);
    }
    if (is_wireguard && bytes.size() >= vni_at + 4) {
      const std::uint8_t* at = bytes.data() + vni_at;
      packet.vni = std::uint32_t{at[3]} << 24 | std::uint32_t{at[2]} << 16 |
                   std::uint32_t{at[1]} << 8 | at[0];
      const std::size_t sealed = load_be16(bytes.data() + udp_at + 4) - std::size_t{8 + 16 + 16};
      packet.padding = static_cast<std::uint16_t>(sealed - packet.inner.total_length);
    }
  }
  return packet;
}

}  // namespace overlane::reference

#include "dataplane/reference/packet_bytes.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/wire/udp.h"
#include "dataplane/wire/vxlan.h"

namespace overlane::reference {
namespace {

using forward::IcmpError;
using forward::IpFields;
using forward::Packet;

wire::Ipv4Header to_wire(const IpFields& fields) {
  return {.tos = fields.tos,
          .total_length = fields.total_length,
          .identification = fields.identification,
          .dont_fragment = fields.dont_fragment,
          .more_fragments = fields.more_fragments,
          .fragment_offset = fields.fragment_offset,
          .ttl = fields.ttl,
          .protocol = fields.protocol,
          .source = fields.source.ipv4(),
          .destination = fields.destination.ipv4()};
}

IpFields from_wire(const wire::Ipv4Header& header) {
  return {.source = header.source,
          .destination = header.destination,
          .identification = header.identification,
          .total_length = header.total_length,
          .fragment_offset = header.fragment_offset,
          .dont_fragment = header.dont_fragment,
          .more_fragments = header.more_fragments,
          .protocol = header.protocol,
          .ttl = header.ttl,
          .tos = header.tos};
}

/// An IPv4 packet of exactly the announced size (at least a header).
Bytes ip_packet(const IpFields& fields, Bytes payload) {
  const std::size_t header_bytes = wire::kIpv4Bytes;
  payload.resize(std::max<std::size_t>(fields.total_length, header_bytes) - header_bytes);
  Bytes packet(header_bytes);
  wire::write(to_wire(fields), packet);
  packet.insert(packet.end(), payload.begin(), payload.end());
  return packet;
}

template <typename Header>
void append(Bytes& bytes, const Header& header, std::size_t size) {
  const std::size_t at = bytes.size();
  bytes.resize(at + size);
  wire::write(header, std::span(bytes).subspan(at));
}

Bytes icmp_message(const IcmpError& error, std::size_t size) {
  const IpFields quoted{.source = error.quoted_source,
                        .destination = error.quoted_destination,
                        .total_length = 28,
                        .protocol = error.quoted_protocol};
  Bytes ports(8);
  store_be16(ports.data(), error.quoted_source_port);
  store_be16(ports.data() + 2, error.quoted_destination_port);
  const Bytes quote = ip_packet(quoted, ports);
  Bytes message(wire::kIcmpBytes);
  message.insert(message.end(), quote.begin(), quote.end());
  message.resize(std::max(size, wire::kIcmpBytes));
  wire::write(wire::IcmpHeader{error.type, error.code, error.next_hop_mtu}, message);
  return message;
}

Bytes transport(const Packet& packet) {
  const std::size_t size = std::max<std::size_t>(packet.inner.total_length, 20) - 20;
  Bytes bytes;
  if (packet.inner.fragment_offset != 0) return bytes;
  if (packet.inner.protocol == forward::kUdp) {
    append(bytes,
           wire::UdpHeader{packet.source_port, packet.destination_port,
                           static_cast<std::uint16_t>(size), 0},
           wire::kUdpBytes);
  }
  if (packet.inner.protocol == forward::kTcp) {
    append(bytes,
           wire::TcpHeader{.source_port = packet.source_port,
                           .destination_port = packet.destination_port},
           wire::kTcpBytes);
  }
  if (packet.inner.protocol == forward::kIcmp) {
    constexpr std::uint8_t kEchoRequest = 8;
    return icmp_message(packet.icmp.value_or(IcmpError{.type = kEchoRequest}), size);
  }
  return bytes;
}

std::optional<IcmpError> decode_icmp(std::span<const std::uint8_t> message) {
  if (message.size() < wire::kIcmpBytes) return std::nullopt;
  const wire::IcmpHeader header{.type = message[0], .code = message[1]};
  if (!header.is_error()) return std::nullopt;
  IcmpError error{.type = header.type, .code = header.code};
  if (header.type == 3 && header.code == 4) error.next_hop_mtu = load_be16(message.data() + 6);
  const auto quote = message.subspan(wire::kIcmpBytes);
  const auto quoted = wire::parse_quoted_ipv4(quote);
  if (!quoted) return error;
  error.quoted_source = quoted->source;
  error.quoted_destination = quoted->destination;
  error.quoted_protocol = quoted->protocol;
  const bool has_ports = quoted->protocol == forward::kUdp || quoted->protocol == forward::kTcp;
  if (has_ports && quote.size() >= quoted->header_bytes + 4u) {
    error.quoted_source_port = load_be16(quote.data() + quoted->header_bytes);
    error.quoted_destination_port = load_be16(quote.data() + quoted->header_bytes + 2);
  }
  return error;
}

/// The packet in front of `bytes` without looking for tunnels.
Packet decode_bare(std::span<const std::uint8_t> bytes) {
  Packet packet;
  const auto header = wire::parse_quoted_ipv4(bytes);
  if (!header) return packet;
  packet.inner = from_wire(*header);
  const auto payload = bytes.subspan(header->header_bytes);
  if (header->fragment_offset != 0) return packet;
  const bool has_ports = header->protocol == forward::kUdp || header->protocol == forward::kTcp;
  if (has_ports && payload.size() >= 4) {
    packet.source_port = load_be16(payload.data());
    packet.destination_port = load_be16(payload.data() + 2);
  }
  if (header->protocol == forward::kIcmp) packet.icmp = decode_icmp(payload);
  return packet;
}

}  // namespace

Bytes encode(const Packet& packet) {
  const Bytes inner = ip_packet(packet.inner, transport(packet));
  if (!packet.is_encapsulated()) return inner;
  Bytes payload;
  if (packet.encapsulation == Encapsulation::Vxlan) {
    const std::size_t size = wire::kUdpBytes + wire::kVxlanBytes + wire::kEthernetBytes;
    append(payload,
           wire::UdpHeader{packet.outer_source_port, packet.outer_destination_port,
                           static_cast<std::uint16_t>(size + inner.size()), 0},
           wire::kUdpBytes);
    append(payload, wire::VxlanHeader{packet.vni}, wire::kVxlanBytes);
    append(payload, wire::EthernetHeader{}, wire::kEthernetBytes);
  }
  payload.insert(payload.end(), inner.begin(), inner.end());
  const std::size_t skipped = std::min<std::size_t>(packet.outer.fragment_offset, payload.size());
  payload.erase(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(skipped));
  return ip_packet(packet.outer, std::move(payload));
}

Packet decode(const Bytes& bytes, const std::vector<std::uint16_t>& vxlan_ports) {
  const Packet bare = decode_bare(bytes);
  const std::span<const std::uint8_t> all = bytes;
  std::size_t inner_at = 0;
  Packet packet;
  if (bare.inner.fragment_offset != 0) return bare;
  if (bare.inner.protocol == forward::kIpip) {
    inner_at = wire::kIpv4Bytes;
    packet = decode_bare(all.subspan(inner_at));
    packet.encapsulation = Encapsulation::Ipip;
  } else if (bare.inner.protocol == forward::kUdp &&
             std::ranges::find(vxlan_ports, bare.destination_port) != vxlan_ports.end() &&
             bytes.size() >= 50) {
    inner_at = 50;
    packet = decode_bare(all.subspan(inner_at));
    packet.encapsulation = Encapsulation::Vxlan;
    packet.outer_source_port = bare.source_port;
    packet.outer_destination_port = bare.destination_port;
    packet.vni = load_be24(bytes.data() + 32);
  } else {
    return bare;
  }
  packet.outer = bare.inner;
  return packet;
}

}  // namespace overlane::reference

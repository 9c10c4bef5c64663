#include "dataplane/forward/read_packet.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/ip_in_ipv4/ip_in_ipv4.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/encap/wireguard/wireguard.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"

namespace overlane::forward {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// The fields of an IP header, and the bytes of its payload that are there.
struct Read {
  IpFields fields;
  Bytes payload;
};

Read read_ipv4(const wire::Ipv4Header& header, Bytes bytes) {
  const std::size_t end = std::min<std::size_t>(header.total_length, bytes.size());
  return {
      .fields = {.source = header.source,
                 .destination = header.destination,
                 .identification = header.identification,
                 .total_length = header.total_length,
                 .fragment_offset = header.fragment_offset,
                 .option_bytes = static_cast<std::uint16_t>(header.header_bytes - kIpv4HeaderBytes),
                 .dont_fragment = header.dont_fragment,
                 .more_fragments = header.more_fragments,
                 .protocol = header.protocol,
                 .ttl = header.ttl,
                 .tos = header.tos},
      .payload = bytes.first(end).subspan(std::min<std::size_t>(header.header_bytes, end))};
}

Read read_ipv6(const wire::Ipv6Header& header, Bytes bytes, const wire::UpperLayer& upper) {
  const std::uint32_t length = wire::kIpv6Bytes + header.payload_length;
  const Bytes packet = bytes.first(std::min<std::size_t>(length, bytes.size()));
  const std::size_t shared = upper.is_fragment() ? upper.fragment_header_offset
                                                 : wire::bytes_before_fragment_header(packet);
  const auto option_bytes = static_cast<std::uint16_t>(shared - kIpv6HeaderBytes);
  Read read{.fields = {.source = header.source,
                       .destination = header.destination,
                       .total_length = length,
                       .flow_label = header.flow_label,
                       .option_bytes = option_bytes,
                       .protocol = upper.protocol,
                       .ttl = header.hop_limit,
                       .tos = header.traffic_class},
            .payload = packet};
  read.payload = read.payload.subspan(std::min(upper.offset, read.payload.size()));
  if (!upper.is_fragment()) return read;
  read.fields.identification = upper.fragment->identification;
  read.fields.fragment_offset = upper.fragment->offset;
  read.fields.more_fragments = upper.fragment->more_fragments;
  return read;
}

Result<Read, Drop> read_ip(Bytes bytes) {
  if (bytes.empty() || bytes[0] >> 4 != 6) {
    const auto header = wire::parse_ipv4(bytes);
    if (!header) return fail(header.error());
    return read_ipv4(*header, bytes);
  }
  const auto header = wire::parse_ipv6(bytes);
  if (!header) return fail(header.error());
  const auto upper =
      wire::find_upper_layer(bytes.first(wire::kIpv6Bytes + std::size_t{header->payload_length}));
  if (!upper) return fail(upper.error());
  return read_ipv6(*header, bytes, *upper);
}

/// Reads the packet that an ICMP error quotes, as far as the quote is complete.
std::optional<Read> read_quoted(Bytes quote) {
  if (quote.empty() || quote[0] >> 4 != 6) {
    const auto header = wire::parse_quoted_ipv4(quote);
    return header ? std::optional(read_ipv4(*header, quote)) : std::nullopt;
  }
  const auto header = wire::parse_quoted_ipv6(quote);
  if (!header) return std::nullopt;
  const auto upper = wire::find_upper_layer(quote).value_or(
      wire::UpperLayer{.offset = quote.size(), .fragment = {}});
  return read_ipv6(*header, quote, upper);
}

struct Ports {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
};

/// Ports with the rules of Packet::source_port.
Ports ports_of(const Read& read) {
  if (read.fields.fragment_offset != 0) return {};
  const std::uint8_t* at = read.payload.data();
  if (has_ports(read.fields.protocol) && read.payload.size() >= 4) {
    return {load_be16(at), load_be16(at + 2)};
  }
  if (read.fields.is_icmp() && read.payload.size() >= 8) return {load_be16(at + 4), load_be16(at)};
  return {};
}

std::optional<IcmpError> read_icmp_error(const Read& read) {
  constexpr std::size_t kHeaderBytes = 8;
  const Family family = read.fields.family();
  const Bytes message = read.payload;
  if (!read.fields.is_icmp() || message.size() < kHeaderBytes) return std::nullopt;
  const bool is_error = family == Family::Ipv4 ? message[0] == 3 || message[0] == 11
                                               : message[0] != 0 && message[0] < 128;
  if (!is_error) return std::nullopt;
  IcmpError error{.type = message[0], .code = message[1]};
  if (is_packet_too_big(error, family)) {
    error.next_hop_mtu =
        family == Family::Ipv4 ? load_be16(message.data() + 6) : load_be32(message.data() + 4);
  }
  if (is_parameter_problem(error, family)) error.pointer = load_be32(message.data() + 4);
  const auto quoted = read_quoted(message.subspan(kHeaderBytes));
  // A quote of the other family cannot belong to a connection of this family.
  if (!quoted || quoted->fields.family() != family) return error;
  error.quoted_source = quoted->fields.source;
  error.quoted_destination = quoted->fields.destination;
  error.quoted_protocol = quoted->fields.protocol;
  const Ports ports = ports_of(*quoted);
  error.quoted_source_port = ports.source;
  error.quoted_destination_port = ports.destination;
  return error;
}

/// Returns whether connection tracking finds a fault in the transport header (tcp_error and
/// udp_error in net/netfilter, nf_conntrack_icmpv4_error, nf_conntrack_icmpv6_error).
bool has_transport_fault(const node::NodeState& state, const Read& read) {
  if (!state.filter || state.filter->tracking == node::Tracking::Off) return false;
  const IpFields& header = read.fields;
  const bool is_udp = header.protocol == kUdp;
  Bytes segment = read.payload;
  if (header.is_fragment() || (!has_ports(header.protocol) && !header.is_icmp())) return false;
  if (segment.size() < (header.protocol == kTcp ? wire::kTcpBytes : wire::kUdpBytes)) return true;
  if (is_udp) {
    const auto datagram = wire::parse_udp(segment);
    if (!datagram) return true;
    if (datagram->checksum == 0) return false;
    segment = segment.first(datagram->length);
  }
  if (header.protocol == kIcmp) return internet_checksum(segment) != 0;
  return transport_checksum(header.source, header.destination, header.protocol, segment) != 0;
}

/// Returns the descriptor of the packet without looking for a tunnel.
Packet bare(const Read& read) {
  Packet packet{.inner = read.fields};
  if (read.fields.fragment_offset == 0) packet.icmp = read_icmp_error(read);
  if (packet.icmp) return packet;
  const Ports ports = ports_of(read);
  packet.source_port = ports.source;
  packet.destination_port = ports.destination;
  constexpr std::size_t kFlagsAt = 13;
  const bool is_tcp = read.fields.protocol == kTcp && read.fields.fragment_offset == 0;
  if (is_tcp && read.payload.size() > kFlagsAt) packet.tcp_flags = read.payload[kFlagsAt];
  return packet;
}

Encapsulation recognise(const node::NodeState& state, const Packet& packet) {
  const IpFields& header = packet.inner;
  if (header.fragment_offset != 0) return Encapsulation::None;
  if (header.protocol == kIpip)
    return header.is_ipv4() ? Encapsulation::Ipip : Encapsulation::Ip6Tnl;
  if (header.protocol == kIpv6InIp) {
    return header.is_ipv4() ? Encapsulation::Sit : Encapsulation::Ip6Tnl;
  }
  if (header.protocol != kUdp) return Encapsulation::None;
  return node::tunnel_at(state, packet.destination_port, header.source, header.destination);
}

/// Checks the inner Ethernet header like eth_type_trans and the tunnel device. Returns the reason
/// of a drop.
std::optional<Drop> address_fault(Encapsulation encapsulation, const encap::Popped& popped,
                                  const node::Device& device) {
  const bool is_vxlan = encapsulation == Encapsulation::Vxlan;
  if (!is_vxlan && encapsulation != Encapsulation::Geneve) return std::nullopt;
  const MacAddress source = is_vxlan ? vxlan::inner_source(popped) : geneve::inner_source(popped);
  const MacAddress destination =
      is_vxlan ? vxlan::inner_destination(popped) : geneve::inner_destination(popped);
  if (source == device.mac) return Drop::TunnelLoop;
  return destination == device.mac ? std::nullopt : std::optional(Drop::NotLocal);
}

std::optional<Drop> udp_fault(std::span<std::uint8_t> bytes) {
  const auto outer = encap::read_outer(bytes);
  if (!outer) return outer.error();
  const auto datagram = encap::read_udp(*outer, false);
  return datagram ? std::nullopt : std::optional(datagram.error());
}

/// Reads everything behind the outer header of a whole tunnel packet into `packet`.
void read_inside(const node::NodeState& state, const Read& outer, Bytes bytes, Packet& packet) {
  // The decision sequence merges ECN. Without outer ECN pop() neither merges nor drops.
  std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
  encap::set_ecn(copy.data(), outer.fields.family(), encap::Ecn::NotEct);
  if (outer.fields.protocol == kUdp) {
    packet.udp_fault = udp_fault(copy);
    constexpr std::size_t kVniAt = wire::kUdpBytes + 4;
    const bool has_vni = packet.encapsulation != Encapsulation::Wireguard;
    if (has_vni && outer.payload.size() >= kVniAt + 3)
      packet.vni = load_be24(outer.payload.data() + kVniAt);
  }
  const node::Device* device = node::receiving_device(
      state,
      {packet.encapsulation, packet.outer.source, packet.vni, packet.outer_destination_port});
  const auto popped = pop(packet.encapsulation, copy, device);
  if (!popped) {
    packet.inner_fault = popped.error();
    return;
  }
  if (packet.encapsulation == Encapsulation::Wireguard) {
    packet.vni = wireguard::receiver(*popped);
    constexpr std::size_t kWithHeaders = wire::kUdpBytes + wire::kWireguardMinTransportBytes;
    const std::size_t announced = load_be16(outer.payload.data() + 4);
    const std::size_t datagram = announced != 0 ? announced : outer.payload.size();
    packet.padding = static_cast<std::uint16_t>(datagram - kWithHeaders - popped->inner.size());
  }
  if (device != nullptr) {
    packet.inner_fault = address_fault(packet.encapsulation, *popped, *device);
  }
  const auto inner = read_ip(bytes.subspan(popped->headers.size(), popped->inner.size()));
  if (!inner) {
    if (!packet.inner_fault) packet.inner_fault = inner.error();
    return;
  }
  const Packet carried = bare(*inner);
  packet.inner = carried.inner;
  packet.source_port = carried.source_port;
  packet.destination_port = carried.destination_port;
  packet.tcp_flags = carried.tcp_flags;
  packet.icmp = carried.icmp;
  packet.transport_fault = has_transport_fault(state, *inner);
}

}  // namespace

Result<Packet, Drop> read_packet(const node::NodeState& state, Bytes bytes) {
  const auto outer = read_ip(bytes);
  if (!outer) return fail(outer.error());
  Packet seen = bare(*outer);
  const Encapsulation encapsulation = recognise(state, seen);
  if (encapsulation == Encapsulation::None) {
    seen.transport_fault = has_transport_fault(state, *outer);
    return seen;
  }
  Packet packet{.encapsulation = encapsulation, .outer = seen.inner};
  if (seen.inner.protocol == kUdp) {
    packet.outer_source_port = seen.source_port;
    packet.outer_destination_port = seen.destination_port;
  }
  if (!seen.inner.is_fragment()) {
    if (encapsulation == Encapsulation::Ip6Tnl) packet.outer.option_bytes = 0;
    read_inside(state, *outer, bytes.first(outer->fields.total_length), packet);
  }
  return packet;
}

Result<encap::Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> bytes,
                                const node::Device* device) {
  switch (encapsulation) {
    case Encapsulation::None:
      break;
    case Encapsulation::Ipip:
      return ipip::pop(bytes);
    case Encapsulation::Sit:
      return sit::pop(bytes);
    case Encapsulation::Ip6Tnl:
      return ip6tnl::pop(bytes);
    case Encapsulation::Vxlan:
      return vxlan::pop(bytes);
    case Encapsulation::Geneve:
      return geneve::pop(bytes, {.critical_options = device != nullptr && device->external});
    case Encapsulation::Wireguard:
      return wireguard::pop(bytes);
  }
  return fail(Drop::UnsupportedProtocol);
}

}  // namespace overlane::forward

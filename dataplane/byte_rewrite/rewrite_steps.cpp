#include "dataplane/byte_rewrite/rewrite_steps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/ip_in_ipv4/ip_in_ipv4.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/encap/wireguard/wireguard.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ip.h"

namespace overlane::byte_rewrite {
namespace {

Layout ipv4_layout(std::span<const std::uint8_t> packet) {
  const std::uint16_t flags = load_be16(packet.data() + 6);
  const auto header = static_cast<std::uint32_t>(
      std::min<std::size_t>((packet[0] & 0xf) * std::size_t{4}, packet.size()));
  return {.more_fragments = (flags & 0x2000) != 0,
          .fragment_offset = static_cast<std::uint16_t>((flags & 0x1fff) * 8),
          .shared = header,
          .data_at = header,
          .upper_at = header};
}

Layout ipv6_layout(std::span<const std::uint8_t> packet) {
  const auto upper = wire::find_upper_layer(packet).value_or(
      wire::UpperLayer{.offset = packet.size(), .fragment = {}});
  Layout layout{.ipv4 = false, .upper_at = static_cast<std::uint32_t>(upper.offset)};
  if (upper.is_fragment()) {
    layout.more_fragments = upper.fragment->more_fragments;
    layout.fragment_offset = upper.fragment->offset;
    layout.shared = static_cast<std::uint32_t>(upper.fragment_header_offset);
    layout.data_at = layout.shared + wire::kFragmentHeaderBytes;
  } else {
    layout.shared = static_cast<std::uint32_t>(wire::bytes_before_fragment_header(packet));
    layout.data_at = layout.shared;
  }
  wire::Ipv6Extensions extensions(packet);
  while (const auto extension = extensions.next()) {
    layout.upper_number_at = static_cast<std::uint32_t>(extension->offset);
    if (layout.upper_number_at < layout.shared) layout.next_header_at = layout.upper_number_at;
  }
  return layout;
}

}  // namespace

Layout layout_of(std::span<const std::uint8_t> packet) {
  return packet[0] >> 4 == 6 ? ipv6_layout(packet) : ipv4_layout(packet);
}

using forward::IpFields;
using forward::Packet;
using forward::Wrapping;

namespace {

/// Returns the MAC of VXLAN's neighbour entry for the next hop; zero for other devices.
MacAddress far_mac(const Wrapping& wrapping) {
  const auto& [route, device, mtu, peer] = wrapping;
  if (device.kind != node::DeviceKind::Vxlan || !route.via || peer == nullptr) return {};
  const node::MemberAddresses* addresses = peer->in(route.via->family());
  return addresses == nullptr ? MacAddress{} : addresses->vtep_mac;
}

/// Returns the rules of a device, with its own destination port.
encap::OuterRules rules_of(const Packet& wrapped) {
  encap::OuterRules rules = encap::outer_rules(wrapped.encapsulation, wrapped.outer.family());
  rules.destination_port = wrapped.outer_destination_port;
  return rules;
}

template <typename Pusher>
std::optional<Drop> push(const Pusher& pusher, const Packet& wrapped, PacketBuffer& packet) {
  const auto pushed = pusher.push(packet.with_headroom(), packet.headroom(),
                                  {.flow_hash = flow_hash(wrapped.flow())});
  if (!pushed) return pushed.error();
  packet.narrow(*pushed);
  return std::nullopt;
}

template <typename Pusher, typename Tunnel>
std::optional<Drop> push_frame(const Packet& wrapped, const Wrapping& wrapping,
                               PacketBuffer& packet) {
  return push(Pusher(Tunnel{.source = wrapped.outer.source,
                            .destination = wrapped.outer.destination,
                            .vni = wrapped.vni,
                            .inner_source = wrapping.device.mac,
                            .inner_destination = far_mac(wrapping),
                            .rules = rules_of(wrapped)}),
              wrapped, packet);
}

std::optional<Drop> push_sealed(const Packet& wrapped, const Wrapping& wrapping,
                                PacketBuffer& packet) {
  constexpr std::array<std::uint8_t, wireguard::kTailBytes> kTail{};
  packet.append(kTail);
  return push(wireguard::Pusher({.source = wrapped.outer.source,
                                 .destination = wrapped.outer.destination,
                                 .port = wrapped.outer_destination_port,
                                 .receiver = wrapped.vni,
                                 .mtu = wrapping.mtu}),
              wrapped, packet);
}

using Bytes = std::span<std::uint8_t>;

/// Checksums that cover a changed field; null if there is none.
struct Sums {
  std::uint8_t* header = nullptr;     ///< Checksum of the IPv4 header.
  std::uint8_t* transport = nullptr;  ///< Checksum of the transport header.
  bool pseudo = false;                ///< True if `transport` covers a pseudo header.
  std::uint8_t* message = nullptr;    ///< Checksum of the ICMP error around a quote.
};

void correct(std::uint8_t* checksum, std::uint16_t from, std::uint16_t to) {
  if (checksum == nullptr) return;
  store_be16(checksum, updated_checksum(load_be16(checksum), from, to));
}

/// Corrects a checksum inside a quote, and the checksum of the ICMP message that contains it.
void correct_inside(std::uint8_t* checksum, std::uint16_t from, std::uint16_t to,
                    std::uint8_t* message) {
  if (checksum == nullptr) return;
  const std::uint16_t before = load_be16(checksum);
  correct(checksum, from, to);
  correct(message, before, load_be16(checksum));
}

void put_word(std::uint8_t* at, std::uint16_t to, const Sums& sums, bool is_address) {
  const std::uint16_t from = load_be16(at);
  store_be16(at, to);
  correct(sums.message, from, to);
  if (is_address) correct_inside(sums.header, from, to, sums.message);
  if (!is_address || sums.pseudo) correct_inside(sums.transport, from, to, sums.message);
}

void put_address(std::uint8_t* at, IpAddress address, const Sums& sums) {
  if (address.is_ipv4()) {
    const std::uint32_t bits = address.ipv4().bits;
    put_word(at, static_cast<std::uint16_t>(bits >> 16), sums, true);
    return put_word(at + 2, static_cast<std::uint16_t>(bits), sums, true);
  }
  const Ipv6Address ipv6 = address.ipv6();
  for (std::size_t i = 0; i < ipv6.bytes.size(); i += 2)
    put_word(at + i, load_be16(ipv6.bytes.data() + i), sums, true);
}

struct Transport {
  std::size_t header = 0;    ///< Minimum bytes of the header that contain the checksum.
  std::size_t checksum = 0;  ///< Offset of the checksum.
  bool pseudo = true;
};
/// Returns nothing for protocols whose headers NAT does not change.
std::optional<Transport> transport_of(std::uint8_t protocol) {
  switch (protocol) {
    case forward::kTcp:
      return Transport{20, 16};
    case forward::kUdp:
      return Transport{8, 6};
    case forward::kIcmp:
      return Transport{8, 2, false};
    case forward::kIcmpv6:
      return Transport{8, 2};
    default:
      return std::nullopt;
  }
}

/// The fields of a packet that identify its connection.
struct VisibleTuple {
  IpAddress source;
  IpAddress destination;
  std::uint8_t protocol = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
};

/// Writes `tuple` into `packet`, a whole packet or the part of one that an ICMP error quotes.
void write_tuple(Bytes packet, const VisibleTuple& tuple, std::uint8_t* message) {
  const Layout layout = layout_of(packet);
  Sums sums{.message = message};
  if (layout.ipv4) sums.header = packet.data() + 10;
  const auto transport = transport_of(tuple.protocol);
  const Bytes upper = packet.subspan(layout.upper_at);
  const bool is_udp = tuple.protocol == forward::kUdp;
  const bool has_sum = transport && layout.fragment_offset == 0 &&
                       upper.size() >= transport->header &&
                       !(is_udp && load_be16(upper.data() + transport->checksum) == 0);
  if (has_sum) {
    sums.transport = upper.data() + transport->checksum;
    sums.pseudo = transport->pseudo;
  }
  put_address(packet.data() + (layout.ipv4 ? 12 : 8), tuple.source, sums);
  put_address(packet.data() + (layout.ipv4 ? 16 : 24), tuple.destination, sums);
  if (transport && layout.fragment_offset == 0 && upper.size() >= 8) {
    if (forward::has_ports(tuple.protocol)) {
      put_word(upper.data(), tuple.source_port, sums, false);
      put_word(upper.data() + 2, tuple.destination_port, sums, false);
    } else {
      put_word(upper.data() + 4, tuple.source_port, sums, false);
    }
  }
  // A checksum of 0 would mean that there is none (RFC 768).
  if (!has_sum || !is_udp || load_be16(sums.transport) != 0) return;
  store_be16(sums.transport, 0xffff);
  correct(message, 0, 0xffff);
}

/// Writes the addresses of an ICMP error. Only ICMPv6's checksum covers them.
void put_error_addresses(Bytes packet, const forward::IpFields& header, std::uint8_t* message) {
  const bool ipv4 = header.is_ipv4();
  const Sums sums{.header = ipv4 ? packet.data() + 10 : nullptr,
                  .transport = ipv4 ? nullptr : message,
                  .pseudo = !ipv4};
  put_address(packet.data() + (ipv4 ? 12 : 8), header.source, sums);
  put_address(packet.data() + (ipv4 ? 16 : 24), header.destination, sums);
}

using Bytes = std::span<std::uint8_t>;

/// Sets length, hop limit and, in IPv4, the fragment fields and the checksum.
void set_fields(Bytes packet, const IpFields& wanted) {
  if (!wanted.is_ipv4()) {
    store_be16(packet.data() + 4, static_cast<std::uint32_t>(packet.size() - wire::kIpv6Bytes));
    packet[7] = wanted.ttl;
    return;
  }
  wire::Ipv4Header header = wire::parse_quoted_ipv4(packet).value();
  header.total_length = static_cast<std::uint16_t>(packet.size());
  header.identification = static_cast<std::uint16_t>(wanted.identification);
  header.dont_fragment = wanted.dont_fragment;
  header.more_fragments = wanted.more_fragments;
  header.fragment_offset = wanted.fragment_offset;
  header.ttl = wanted.ttl;
  wire::write(header, packet);
}

/// Clears the reserved flag. Fragments and reassembled packets do not have it (ip_frag_next,
/// ip_frag_reasm).
void clear_reserved_flag(Bytes header) {
  header[6] &= 0x7f;
}

/// Clears the options that only the first fragment has.
void unset_options(Bytes header) {
  constexpr std::uint8_t kCopied = 0x80;
  for (std::size_t at = wire::kIpv4Bytes; at < header.size();) {
    const std::uint8_t kind = header[at];
    if (kind == wire::kIpv4EndOfOptions) return;
    const bool has_length = kind != wire::kIpv4Nop && at + 1 < header.size();
    const std::size_t size = has_length ? std::max<std::size_t>(header[at + 1], 2) : 1;
    const std::size_t end = std::min(at + size, header.size());
    if ((kind & kCopied) == 0) {
      std::ranges::fill(header.subspan(at, end - at), wire::kIpv4Nop);
    }
    at = end;
  }
}

std::uint32_t least_header(const Layout& layout) {
  return layout.ipv4 ? forward::kIpv4HeaderBytes : forward::kIpv6HeaderBytes;
}

/// Moves the cut of a whole IPv6 packet behind `option_bytes` of extension headers.
void cut_behind(Bytes packet, std::uint32_t option_bytes, Layout& layout) {
  const std::uint32_t wanted = forward::kIpv6HeaderBytes + option_bytes;
  wire::Ipv6Extensions extensions(packet);
  std::uint32_t number_at = 6;
  while (extensions.offset() < wanted) {
    const auto extension = extensions.next();
    if (!extension) return;
    number_at = static_cast<std::uint32_t>(extension->offset);
  }
  layout.shared = layout.data_at = static_cast<std::uint32_t>(extensions.offset());
  layout.next_header_at = number_at;
}

void add_header(Bytes packet, const Layout& layout, const IpFields& wanted, PacketBuffer& buffer) {
  buffer.assign(packet.first(layout.shared));
  if (layout.ipv4) {
    clear_reserved_flag(buffer.bytes());
    const bool was_first = layout.fragment_offset == 0;
    if (was_first && wanted.fragment_offset != 0) unset_options(buffer.bytes());
    return;
  }
  if (!wanted.is_fragment()) return;
  const std::uint8_t protocol =
      layout.is_fragment() ? packet[layout.shared] : packet[layout.next_header_at];
  std::array<std::uint8_t, wire::kFragmentHeaderBytes> header{};
  wire::write(wire::FragmentHeader{.next_header = protocol,
                                   .offset = wanted.fragment_offset,
                                   .more_fragments = wanted.more_fragments,
                                   .identification = wanted.identification},
              header);
  buffer.bytes()[layout.next_header_at] = wire::kFragment;
  buffer.append(header);
}

using QuotedBytes = std::span<const std::uint8_t>;

/// Returns the pointer of a parameter problem (RFC 4443 3.4): the offset of the wrong field in
/// `cause`.
std::uint32_t pointer_into(const forward::IcmpError& error, QuotedBytes cause) {
  constexpr std::uint8_t kUnknownNextHeader = 1;
  constexpr std::uint32_t kPayloadLength = 4;
  if (error.code == kUnknownNextHeader) return layout_of(cause).upper_number_at;
  if (error.pointer == kPayloadLength) return kPayloadLength;
  return layout_of(cause).shared + 2;
}

std::uint32_t second_word(const forward::Packet& error, QuotedBytes cause) {
  const bool has_pointer = is_parameter_problem(*error.icmp, error.inner.family());
  return has_pointer ? pointer_into(*error.icmp, cause) : error.icmp->next_hop_mtu;
}

void append_ip_header(const forward::IpFields& fields, PacketBuffer& to) {
  if (fields.is_ipv4()) {
    std::array<std::uint8_t, wire::kIpv4Bytes> header{};
    wire::write(
        wire::Ipv4Header{.tos = fields.tos,
                         .total_length = static_cast<std::uint16_t>(fields.total_length),
                         .identification = static_cast<std::uint16_t>(fields.identification),
                         .ttl = fields.ttl,
                         .protocol = fields.protocol,
                         .source = fields.source.ipv4(),
                         .destination = fields.destination.ipv4()},
        header);
    return to.append(header);
  }
  std::array<std::uint8_t, wire::kIpv6Bytes> header{};
  wire::write(wire::Ipv6Header{.traffic_class = fields.tos,
                               .payload_length = static_cast<std::uint16_t>(fields.total_length -
                                                                            wire::kIpv6Bytes),
                               .next_header = fields.protocol,
                               .hop_limit = fields.ttl,
                               .source = fields.source,
                               .destination = fields.destination},
              header);
  to.append(header);
}

}  // namespace

std::optional<Drop> wrap(const Packet& wrapped, const Wrapping& wrapping, PacketBuffer& packet) {
  const IpAddress source = wrapped.outer.source;
  const IpAddress destination = wrapped.outer.destination;
  switch (wrapped.encapsulation) {
    case Encapsulation::None:
      break;
    case Encapsulation::Ipip:
      return push(ipip::Pusher({.source = source.ipv4(), .destination = destination.ipv4()}),
                  wrapped, packet);
    case Encapsulation::Sit:
      return push(sit::Pusher({.source = source.ipv4(), .destination = destination.ipv4()}),
                  wrapped, packet);
    case Encapsulation::Ip6Tnl:
      return push(ip6tnl::Pusher({.source = source, .destination = destination}), wrapped, packet);
    case Encapsulation::Vxlan:
      return push_frame<vxlan::Pusher, vxlan::Tunnel>(wrapped, wrapping, packet);
    case Encapsulation::Geneve:
      return push_frame<geneve::Pusher, geneve::Tunnel>(wrapped, wrapping, packet);
    case Encapsulation::Wireguard:
      return push_sealed(wrapped, wrapping, packet);
  }
  return Drop::UnsupportedProtocol;
}

void translate(Bytes packet, const forward::Packet& after) {
  const forward::IpFields& header = after.outermost();
  const bool outer = after.is_encapsulated();
  if (outer || !after.icmp) {
    return write_tuple(
        packet,
        {.source = header.source,
         .destination = header.destination,
         .protocol = header.protocol,
         .source_port = outer ? after.outer_source_port : after.source_port,
         .destination_port = outer ? after.outer_destination_port : after.destination_port},
        nullptr);
  }
  const Bytes error = packet.subspan(layout_of(packet).upper_at);
  std::uint8_t* message = error.data() + 2;
  put_error_addresses(packet, header, message);
  const forward::IcmpError& quoted = *after.icmp;
  write_tuple(error.subspan(wire::kIcmpBytes),
              {.source = quoted.quoted_source,
               .destination = quoted.quoted_destination,
               .protocol = quoted.quoted_protocol,
               .source_port = quoted.quoted_source_port,
               .destination_port = quoted.quoted_destination_port},
              message);
}

Bytes fragment(Bytes packet, const IpFields& wanted, PacketBuffer& buffer) {
  Layout layout = layout_of(packet);
  const bool same_start = wanted.fragment_offset == layout.fragment_offset &&
                          wanted.is_fragment() == layout.is_fragment();
  if (same_start && wanted.more_fragments == layout.more_fragments &&
      wanted.total_length == packet.size()) {
    set_fields(packet, wanted);
    return packet;
  }
  if (wanted.fragment_offset < layout.fragment_offset) return {};
  const bool is_first_cut = !layout.ipv4 && !layout.is_fragment();
  if (is_first_cut) cut_behind(packet, wanted.option_bytes, layout);
  const std::size_t begin = layout.data_at + wanted.fragment_offset - layout.fragment_offset;
  const std::size_t bytes = wanted.payload_bytes();
  const bool fits = begin <= packet.size() && bytes <= packet.size() - begin;
  if (wanted.option_bytes + least_header(layout) != layout.shared || !fits) return {};
  add_header(packet, layout, wanted, buffer);
  buffer.append(packet.subspan(begin, bytes));
  set_fields(buffer.bytes(), wanted);
  return buffer.bytes();
}

void make_whole(Bytes joined, const IpFields& wanted) {
  if (wanted.is_ipv4()) {
    joined[1] = wanted.tos;
    clear_reserved_flag(joined);
  } else {
    wire::Ipv6Header header = wire::parse_quoted_ipv6(joined).value();
    header.traffic_class = wanted.tos;
    wire::write(header, joined);
  }
  set_fields(joined, wanted);
}

void write_error(const forward::Packet& error, QuotedBytes cause, PacketBuffer& to) {
  const forward::IpFields& fields = error.inner;
  std::array<std::uint8_t, wire::kIcmpBytes> header{error.icmp->type, error.icmp->code};
  store_be32(header.data() + 4, second_word(error, cause));
  to.clear();
  append_ip_header(fields, to);
  const std::size_t at = to.bytes().size();
  to.append(header);
  to.append(
      cause.first(std::min<std::size_t>(fields.payload_bytes() - header.size(), cause.size())));
  const std::span<std::uint8_t> message = to.bytes().subspan(at);
  const std::uint16_t sum = fields.is_ipv4() ? internet_checksum(message)
                                             : transport_checksum(fields.source, fields.destination,
                                                                  fields.protocol, message);
  store_be16(message.data() + 2, sum);
}

}  // namespace overlane::byte_rewrite

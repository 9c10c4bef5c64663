#include "dataplane/reference/ip_bytes.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::reference {
namespace {

bool is_ipv6(const Bytes& packet) {
  return !packet.empty() && packet[0] >> 4 == 6;
}

/// The upper layer of an IPv6 packet. In a quote that ends within the headers, its end.
wire::UpperLayer upper_layer(const Bytes& packet) {
  return wire::find_upper_layer(packet).value_or(wire::UpperLayer{.offset = packet.size()});
}

/// The packet with the right IPv4 header checksum.
Bytes summed(Bytes packet) {
  store_be16(packet.data() + 10, 0);
  const std::size_t bytes = (packet[0] & 0xf) * 4u;
  store_be16(packet.data() + 10, internet_checksum(std::span(packet).first(bytes)));
  return packet;
}

forward::IpFields ipv4_header(const Bytes& packet) {
  const wire::Ipv4Header header = wire::parse_quoted_ipv4(packet).value();
  return {.source = header.source,
          .destination = header.destination,
          .identification = header.identification,
          .total_length = header.total_length,
          .fragment_offset = header.fragment_offset,
          .option_bytes = static_cast<std::uint16_t>(header.header_bytes - 20),
          .dont_fragment = header.dont_fragment,
          .more_fragments = header.more_fragments,
          .protocol = header.protocol,
          .ttl = header.ttl,
          .tos = header.tos};
}

/// The part of an IPv6 packet that all its fragments repeat: its end, and the offset of the next
/// header field in it that will announce the fragment header.
struct Shared {
  std::size_t end = 40;
  std::size_t field = 6;
};
/// Follows ip6_find_1stfragopt (net/ipv6/output_core.c): hop-by-hop options, routing headers, and
/// destination options before the first routing header.
Shared shared_part(const Bytes& packet) {
  Shared shared;
  bool routed = false;
  while (shared.end + 8 <= packet.size()) {
    const int kind = packet[shared.field];
    if (kind != 0 && kind != 43 && (kind != 60 || routed)) break;
    routed = routed || kind == 43;
    shared.field = shared.end;
    shared.end += (packet[shared.end + 1] + 1) * 8u;
  }
  return shared;
}

forward::IpFields ipv6_header(const Bytes& packet) {
  const wire::Ipv6Header header = wire::parse_quoted_ipv6(packet).value();
  const wire::UpperLayer upper = upper_layer(packet);
  forward::IpFields fields{.source = header.source,
                           .destination = header.destination,
                           .total_length = std::uint32_t{40} + header.payload_length,
                           .flow_label = header.flow_label,
                           .protocol = upper.protocol,
                           .ttl = header.hop_limit,
                           .tos = header.traffic_class};
  fields.option_bytes = static_cast<std::uint16_t>(shared_part(packet).end - 40);
  if (upper.is_fragment()) {
    fields.option_bytes = static_cast<std::uint16_t>(upper.fragment_header_offset - 40);
    fields.identification = upper.fragment->identification;
    fields.fragment_offset = upper.fragment->offset;
    fields.more_fragments = upper.fragment->more_fragments;
  }
  return fields;
}

struct Cut {
  std::size_t begin;
  std::size_t end;
};

/// Splits [0, size) into parts of at most `room` bytes; all but the last are multiples of 8.
std::vector<Cut> cuts_of(std::size_t size, std::size_t room) {
  std::vector<Cut> cuts;
  std::size_t at = 0;
  while (at < size) {
    std::size_t end = size;
    while (end - at > room || (end != size && (end - at) % 8 != 0))
      --end;
    cuts.push_back({at, end});
    at = end;
  }
  return cuts;
}

void append(Bytes& to, const Bytes& from, std::size_t begin, std::size_t end) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
            from.begin() + static_cast<std::ptrdiff_t>(end));
}

/// Overwrites options without the copied flag, which are in the first fragment only (RFC 791 3.1),
/// with no-operation options, as Linux does (ip_options_fragment, net/ipv4/ip_options.c).
void unset_uncopied_options(Bytes& header) {
  std::size_t at = 20;
  while (at < header.size() && header[at] != 0) {
    const std::size_t size = header[at] == 1 ? 1 : header[at + 1];
    if (header[at] < 0x80) std::fill_n(header.begin() + static_cast<std::ptrdiff_t>(at), size, 1);
    at += size;
  }
}

Bytes ipv4_fragment(const Bytes& packet, Cut cut, bool is_last) {
  const forward::IpFields whole = ipv4_header(packet);
  const std::size_t head = 20 + whole.option_bytes;
  Bytes fragment(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(head));
  if (whole.fragment_offset == 0 && cut.begin != 0) unset_uncopied_options(fragment);
  append(fragment, packet, head + cut.begin, head + cut.end);
  const bool more = whole.more_fragments || !is_last;
  store_be16(fragment.data() + 2, static_cast<std::uint32_t>(fragment.size()));
  store_be16(fragment.data() + 6,
             static_cast<std::uint32_t>((whole.fragment_offset + cut.begin) / 8) |
                 (whole.dont_fragment ? 0x4000u : 0u) | (more ? 0x2000u : 0u));
  return summed(std::move(fragment));
}

/// A fragment of an IPv6 packet that is a fragment already: changes its fragment header.
Bytes ipv6_fragment_of_fragment(const Bytes& packet, Cut cut, bool is_last,
                                std::uint32_t identification) {
  const forward::IpFields whole = ipv6_header(packet);
  const std::size_t head = 40 + whole.option_bytes + 8u;
  Bytes fragment(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(head));
  store_be16(fragment.data() + head - 6,
             static_cast<std::uint32_t>(whole.fragment_offset + cut.begin) |
                 (whole.more_fragments || !is_last ? 1u : 0u));
  store_be32(fragment.data() + head - 4, identification);
  append(fragment, packet, head + cut.begin, head + cut.end);
  store_be16(fragment.data() + 4, static_cast<std::uint32_t>(fragment.size() - 40));
  return fragment;
}

Bytes ipv6_fragment(const Bytes& packet, Cut cut, bool is_last, std::uint32_t identification) {
  const forward::IpFields whole = ipv6_header(packet);
  if (whole.is_fragment()) return ipv6_fragment_of_fragment(packet, cut, is_last, identification);
  const auto [head, field] = shared_part(packet);
  Bytes fragment(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(head));
  fragment.resize(head + 8);
  wire::write(wire::FragmentHeader{.next_header = packet[field],
                                   .offset = static_cast<std::uint16_t>(cut.begin),
                                   .more_fragments = !is_last,
                                   .identification = identification},
              std::span(fragment).subspan(head));
  fragment[field] = wire::kFragment;
  append(fragment, packet, head + cut.begin, head + cut.end);
  store_be16(fragment.data() + 4, static_cast<std::uint32_t>(fragment.size() - 40));
  return fragment;
}

std::vector<Bytes> fragments_of(const Bytes& packet, const std::vector<Cut>& cuts,
                                std::uint32_t identification) {
  const std::size_t kept = header_of(packet).header_bytes();
  std::vector<Bytes> fragments;
  for (const Cut& cut : cuts) {
    const bool is_last = cut.end + kept == packet.size();
    fragments.push_back(is_ipv6(packet) ? ipv6_fragment(packet, cut, is_last, identification)
                                        : ipv4_fragment(packet, cut, is_last));
  }
  return fragments;
}

bool is_icmp_error(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  const std::size_t at = payload_at(packet);
  if (!header.is_icmp() || at >= packet.size()) return false;
  return header.is_ipv4() ? packet[at] == 3 || packet[at] == 11
                          : packet[at] != 0 && packet[at] < 128;
}

}  // namespace

Bytes tail(const Bytes& bytes, std::size_t from) {
  return Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(from, bytes.size())),
               bytes.end());
}

std::optional<Drop> header_fault(const Bytes& packet) {
  if (!is_ipv6(packet)) {
    const auto header = wire::parse_ipv4(packet);
    return header ? std::nullopt : std::optional(header.error());
  }
  const auto header = wire::parse_ipv6(packet);
  if (!header) return header.error();
  const auto upper = wire::find_upper_layer(
      std::span(packet).first(wire::kIpv6Bytes + std::size_t{header->payload_length}));
  return upper ? std::nullopt : std::optional(upper.error());
}

forward::IpFields header_of(const Bytes& packet) {
  return is_ipv6(packet) ? ipv6_header(packet) : ipv4_header(packet);
}

std::size_t payload_at(const Bytes& packet) {
  return is_ipv6(packet) ? upper_layer(packet).offset : (packet[0] & 0xf) * 4u;
}

std::size_t fragment_at(const Bytes& fragment) {
  return is_ipv6(fragment) ? upper_layer(fragment).fragment_header_offset + 8
                           : (fragment[0] & 0xf) * 4u;
}

Bytes reassembled(const Bytes& first, const Bytes& data) {
  const std::size_t at = fragment_at(first);
  const std::size_t kept = at - (is_ipv6(first) ? 8 : 0);
  Bytes whole(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(kept));
  whole.insert(whole.end(), data.begin(), data.end());
  if (!is_ipv6(first)) {
    store_be16(whole.data() + 2, static_cast<std::uint32_t>(whole.size()));
    store_be16(whole.data() + 6, 0);
    return summed(std::move(whole));
  }
  store_be16(whole.data() + 4, static_cast<std::uint32_t>(whole.size() - 40));
  std::size_t field = 6;
  for (std::size_t header = 40; header < kept;
       header +=
       (first[header + 1] + (first[field] == 51 ? 2u : 1u)) * (first[field] == 51 ? 4u : 8u))
    field = header;
  whole[field] = first[kept];
  return whole;
}

std::size_t next_header_at(const Bytes& packet) {
  std::size_t field = 6;
  std::size_t header = 40;
  while (header < payload_at(packet)) {
    const int kind = packet[field];
    field = header;
    // A fragment header has 8 bytes (RFC 8200 4.5), AH counts in units of 4 bytes minus two (RFC
    // 4302 2.2), all others in units of 8 bytes minus one.
    if (kind == 44) {
      header += 8;
    } else if (kind == 51) {
      header += (packet[header + 1] + 2) * 4u;
    } else {
      header += (packet[header + 1] + 1) * 8u;
    }
  }
  return field;
}

Bytes with_ttl(Bytes packet, std::uint8_t ttl) {
  if (is_ipv6(packet)) {
    packet[7] = ttl;
    return packet;
  }
  packet[8] = ttl;
  return summed(std::move(packet));
}

Bytes with_tos(Bytes packet, std::uint8_t tos) {
  if (is_ipv6(packet)) {
    packet[0] = static_cast<std::uint8_t>(0x60 | tos >> 4);
    packet[1] = static_cast<std::uint8_t>((packet[1] & 0x0f) | tos << 4);
    return packet;
  }
  packet[1] = tos;
  return summed(std::move(packet));
}

Bytes with_identification(Bytes packet, std::uint16_t identification) {
  if (is_ipv6(packet)) return packet;
  store_be16(packet.data() + 4, identification);
  return summed(std::move(packet));
}

Bytes trimmed(Bytes packet) {
  packet.resize(header_of(packet).total_length);
  return packet;
}

std::vector<Bytes> fragments_of(const Bytes& packet, std::size_t mtu,
                                std::uint32_t identification) {
  const std::size_t kept = header_of(packet).header_bytes();
  const std::size_t room =
      mtu - kept - (is_ipv6(packet) && !header_of(packet).is_fragment() ? 8 : 0);
  return fragments_of(packet, cuts_of(packet.size() - kept, room), identification);
}

std::vector<Bytes> fragments_at(const Bytes& packet, const std::vector<std::uint32_t>& ends,
                                std::uint32_t identification) {
  std::vector<Cut> cuts;
  for (const std::uint32_t end : ends)
    cuts.push_back({cuts.empty() ? 0 : cuts.back().end, end});
  return fragments_of(packet, cuts, identification);
}

Bytes without_df(Bytes packet) {
  if (is_ipv6(packet)) return packet;
  store_be16(packet.data() + 6, load_be16(packet.data() + 6) & ~0x4000u);
  return summed(std::move(packet));
}

std::optional<Bytes> icmp_about(const Bytes& cause, std::uint8_t type, std::uint8_t code,
                                std::uint32_t detail, IpAddress source) {
  const forward::IpFields header = header_of(cause);
  if (header.fragment_offset != 0 ? header.is_ipv4() : is_icmp_error(cause)) return std::nullopt;
  Bytes message{type, code, 0, 0};
  message.resize(8);
  store_be32(message.data() + 4, detail);
  message.insert(message.end(), cause.begin(), cause.end());
  Bytes packet;
  if (header.is_ipv4()) {
    message.resize(std::min<std::size_t>(message.size(), 576 - 20));
    store_be16(message.data() + 2, internet_checksum(message));
    packet.resize(20);
    wire::write(wire::Ipv4Header{.tos = static_cast<std::uint8_t>(0xc0 | (header.tos & 0x1e)),
                                 .total_length = static_cast<std::uint16_t>(20 + message.size()),
                                 .protocol = forward::kIcmp,
                                 .source = source.ipv4(),
                                 .destination = header.source.ipv4()},
                packet);
  } else {
    message.resize(std::min<std::size_t>(message.size(), 1280 - 40));
    store_be16(message.data() + 2,
               transport_checksum(source, header.source, forward::kIcmpv6, message));
    packet.resize(40);
    wire::write(wire::Ipv6Header{.payload_length = static_cast<std::uint16_t>(message.size()),
                                 .next_header = forward::kIcmpv6,
                                 .source = source,
                                 .destination = header.source},
                packet);
  }
  packet.insert(packet.end(), message.begin(), message.end());
  return packet;
}

}  // namespace overlane::reference

#include "dataplane/byte_rewrite/fragmentation.h"

#include <algorithm>
#include <array>

#include "dataplane/byte_rewrite/layout.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/ipv6_extension.h"

namespace overlane::byte_rewrite {
namespace {

using forward::IpFields;
using Bytes = std::span<std::uint8_t>;

/// Lengths, hop limit and, in IPv4, the fields of fragments, with the checksum.
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

/// Fragments and what was made of them have none (ip_frag_next, ip_frag_reasm).
void clear_reserved_flag(Bytes header) {
  header[6] &= 0x7f;
}

/// Those that only the first fragment has.
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

/// Moves the cut of a whole IPv6 packet behind so many bytes of extension headers.
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

}  // namespace

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

}  // namespace overlane::byte_rewrite

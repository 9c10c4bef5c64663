#include "dataplane/byte_rewrite/layout.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ipv6.h"

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

}  // namespace overlane::byte_rewrite

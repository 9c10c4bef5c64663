#pragma once

#include <cstdint>
#include <span>

namespace overlane::byte_rewrite {

/// Where things stand in a packet that read_packet() has accepted, as far as cutting it goes.
struct Layout {
  bool ipv4 = true;
  bool more_fragments = false;
  std::uint16_t fragment_offset = 0;  ///< Bytes.
  /// Bytes that each fragment begins with: the IPv4 header with options, or the IPv6 header and the
  /// extension headers in front of a fragment header.
  std::uint32_t shared = 0;
  /// Where the data of a fragment, or of what is to be cut, begins.
  std::uint32_t data_at = 0;
  std::uint32_t upper_at = 0;  ///< TCP, UDP, ICMP, …; of a first fragment or a whole.
  /// IPv6: where the number of what follows the shared headers stands, and that of the upper layer.
  std::uint32_t next_header_at = 6;
  std::uint32_t upper_number_at = 6;

  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
};

/// `packet` may end anywhere behind its IP header, as the quote of an ICMP error does: offsets are
/// at most its size.
Layout layout_of(std::span<const std::uint8_t> packet);

}  // namespace overlane::byte_rewrite

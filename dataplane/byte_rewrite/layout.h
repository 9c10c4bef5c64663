#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overlane::byte_rewrite {

// Where the parts of a packet are in its bytes, and the buffer that holds it with room for
// outer headers.

/// The bytes of one packet, with room in front for the headers of a tunnel. Keeps its memory from
/// packet to packet.
class PacketBuffer {
 public:
  /// More than any encapsulation puts in front of a packet (headroom() of the pushers).
  static constexpr std::size_t kHeadroom = 128;

  /// Becomes a copy of `packet`, which must not lie in this buffer.
  void assign(std::span<const std::uint8_t> packet) {
    clear();
    append(packet);
  }
  void clear() {
    begin_ = kHeadroom;
    storage_.resize(kHeadroom);
  }
  void append(std::span<const std::uint8_t> bytes) {
    storage_.insert(storage_.end(), bytes.begin(), bytes.end());
  }

  std::span<std::uint8_t> bytes() { return std::span(storage_).subspan(begin_); }
  /// With what stands in front, and where the packet begins in it: as push() wants it.
  std::span<std::uint8_t> with_headroom() { return storage_; }
  std::size_t headroom() const { return begin_; }
  /// Becomes `part` of with_headroom().
  void narrow(std::span<const std::uint8_t> part) {
    begin_ = static_cast<std::size_t>(part.data() - storage_.data());
    storage_.resize(begin_ + part.size());
  }

 private:
  std::vector<std::uint8_t> storage_ = std::vector<std::uint8_t>(kHeadroom);
  std::size_t begin_ = kHeadroom;
};

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

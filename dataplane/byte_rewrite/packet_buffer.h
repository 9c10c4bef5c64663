#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace overlane::byte_rewrite {

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

}  // namespace overlane::byte_rewrite

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/net/drop.h"

namespace overlane::byte_rewrite {

// The steps of a forwarding decision on the bytes of a packet: the buffer with room for outer
// headers, the layout of the packet in it, and the rewrites (hop limit, ICMP errors, fragments,
// NAT, push and pop).

/// The bytes of one packet, with room in front for the headers of a tunnel. Reuses its memory from
/// packet to packet.
class PacketBuffer {
 public:
  /// Bytes of room, more than any encapsulation adds (headroom() of the pushers).
  static constexpr std::size_t kHeadroom = 128;

  /// Copies `packet`, which must not be in this buffer.
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
  /// Returns the room in front together with the packet, which begins at headroom(), as push()
  /// needs it.
  std::span<std::uint8_t> with_headroom() { return storage_; }
  std::size_t headroom() const { return begin_; }
  /// Makes `part` of with_headroom() the packet.
  void narrow(std::span<const std::uint8_t> part) {
    begin_ = static_cast<std::size_t>(part.data() - storage_.data());
    storage_.resize(begin_ + part.size());
  }

 private:
  std::vector<std::uint8_t> storage_ = std::vector<std::uint8_t>(kHeadroom);
  std::size_t begin_ = kHeadroom;
};

/// Offsets of the parts of a packet that read_packet() has accepted, in bytes.
struct Layout {
  bool ipv4 = true;
  bool more_fragments = false;
  std::uint16_t fragment_offset = 0;  ///< Bytes.
  /// Bytes of the headers that each fragment repeats: the IPv4 header with options, or the IPv6
  /// header and the extension headers in front of a fragment header.
  std::uint32_t shared = 0;
  /// Offset of the data of a fragment, or of a packet that may be fragmented.
  std::uint32_t data_at = 0;
  /// Offset of the upper layer (TCP, UDP, ICMP, …) in a first fragment or a whole packet.
  std::uint32_t upper_at = 0;
  /// IPv6: offset of the last next header field of the shared headers, and of the next header field
  /// with the number of the upper layer.
  std::uint32_t next_header_at = 6;
  std::uint32_t upper_number_at = 6;

  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
};

/// Returns the layout of a packet. `packet` may end anywhere behind its IP header, like the quote
/// of an ICMP error: offsets are at most its size.
Layout layout_of(std::span<const std::uint8_t> packet);

// The single changes that ByteRewriter makes: add a tunnel's headers, translate addresses and ports
// (NAT), cut into fragments, restore the whole packet, write an ICMP error. Each takes the
// descriptor of the result and changes bytes and checksums to match it.

/// Adds the outer headers of `wrapped` to the packet in the buffer, with the device's
/// encapsulation. The identification of an outer IPv4 header stays 0. Returns a drop reason if
/// push() refuses the packet: Drop::TunnelLoop if the packet itself forbids another tunnel (RFC
/// 2473 4.1.1).
std::optional<Drop> wrap(const forward::Packet& wrapped, const forward::Wrapping& wrapping,
                         PacketBuffer& packet);

/// Rewrites a whole packet to the addresses, ports or identifier of `after`, the descriptor of the
/// packet after NAT. In an ICMP error the quote changes, too. Checksums are corrected by the
/// difference (RFC 1624), in the quote as far as it contains them; a UDP checksum of zero stays
/// (RFC 768). Follows nf_nat_manip_pkt and nf_nat_icmp_reply_translation
/// (net/netfilter/nf_nat_proto.c).
void translate(std::span<std::uint8_t> packet, const forward::Packet& after);

/// Returns the bytes to send for the header `wanted`: `packet` with another hop limit,
/// identification or DF, changed in place, or a fragment of it, written to `buffer`. In a later
/// fragment of an IPv4 packet, options without the copied flag become no-operations (RFC 791 3.1;
/// ip_options_fragment, net/ipv4/ip_options.c). An IPv6 packet gets a fragment header; a fragment
/// keeps its own. The result is empty if `wanted` covers no part of `packet`.
std::span<std::uint8_t> fragment(std::span<std::uint8_t> packet, const forward::IpFields& wanted,
                                 PacketBuffer& buffer);

/// Sets the header fields of a packet that HeldBytes::join() has written.
void make_whole(std::span<std::uint8_t> joined, const forward::IpFields& wanted);

/// Writes the ICMP or ICMPv6 error that the node sends, with the length in `error`; the rest is the
/// quote of `cause`. The pointer of an ICMPv6 error is an offset in `cause`, behind any extension
/// headers: of the number of the unsupported protocol, or of a fragment's offset field.
void write_error(const forward::Packet& error, std::span<const std::uint8_t> cause,
                 PacketBuffer& to);

}  // namespace overlane::byte_rewrite

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

// The single changes that ByteRewriter makes to bytes: put a tunnel's headers on, translate
// addresses and ports (NAT), cut into fragments and make whole again, write an ICMP error. Each
// takes the descriptor of the result and edits bytes and checksums to match it.

/// Puts the outer headers of `wrapped` in front of the packet in the buffer, as the encapsulation
/// of the device pushes them; the identification of an outer IPv4 header is left at 0. What push()
/// refuses: a tunnel that the packet itself forbids (RFC 2473 4.1.1) is Drop::TunnelLoop.
std::optional<Drop> wrap(const forward::Packet& wrapped, const forward::Wrapping& wrapping,
                         PacketBuffer& packet);

/// Gives a whole packet the addresses, ports or identifier of `after`, which is the same packet
/// behind NAT; an ICMP error also those in its quote. Checksums are corrected by the difference
/// (RFC 1624), in the quote as far as they are there; a UDP checksum of zero stays (RFC 768), as
/// nf_nat_manip_pkt and nf_nat_icmp_reply_translation do it (net/netfilter/nf_nat_proto.c).
void translate(std::span<std::uint8_t> packet, const forward::Packet& after);

/// Returns the bytes to send for the header `wanted`: `packet` with another hop limit,
/// identification or DF, changed in place, or a fragment of it, written to `buffer`. In a later
/// fragment of an IPv4 packet, options without the copied flag become no-operations (RFC 791 3.1;
/// ip_options_fragment, net/ipv4/ip_options.c). An IPv6 packet gets a fragment header; a fragment
/// keeps its own. Empty when `wanted` covers no part of `packet`.
std::span<std::uint8_t> fragment(std::span<std::uint8_t> packet, const forward::IpFields& wanted,
                                 PacketBuffer& buffer);

/// Gives what HeldBytes joined the fields of the whole that it is.
void make_whole(std::span<std::uint8_t> joined, const forward::IpFields& wanted);

/// Writes the ICMP or ICMPv6 error that the node sends, of the length that `error` announces, with
/// so much of `cause` as it then quotes. The pointer of an ICMPv6 error shows where the number of
/// the unsupported protocol, or the offset of a fragment, stands in `cause`, behind however many
/// extension headers.
void write_error(const forward::Packet& error, std::span<const std::uint8_t> cause,
                 PacketBuffer& to);

}  // namespace overlane::byte_rewrite

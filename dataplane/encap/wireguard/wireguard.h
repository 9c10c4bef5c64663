#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/tunnel_headers.h"
#include "results/finding/finding.h"

namespace overlane::wireguard {

// WireGuard's framing and lengths without its cryptography (drivers/net/wireguard): the payload of
// a transport message is the plain packet instead of its ciphertext; tag and counter are zero.
// Handshakes and keys are not modelled. Pusher writes the headers and the tail, pop() removes them
// in place. A Pusher is constant after construction.

/// Bytes that a transport message adds behind the packet: at most kMaxPadding of padding, then the
/// tag. kTailBytes is the largest sum.
inline constexpr std::uint32_t kMaxPadding = 15;
inline constexpr std::uint32_t kTailBytes = kMaxPadding + wire::kWireguardTagBytes;

/// A session of a Linux `wireguard` device with one peer (drivers/net/wireguard).
///
/// The payload is not encrypted: it is the packet itself with its padding. The tag and the counter
/// against replays are zero. Lengths and all other header fields are those of real packets.
struct Tunnel {
  IpAddress source;
  IpAddress destination;       ///< In the same family as `source`.
  std::uint16_t port = 0;      ///< UDP port on which both ends listen and from which they send.
  std::uint32_t receiver = 0;  ///< Index of the session at the far end.
  std::uint32_t mtu = 0;       ///< MTU of the route into the device in bytes; 0 if not known.
};

/// Bytes of zeros behind a packet of `length` bytes: up to a multiple of 16, but not beyond `mtu`
/// unless `mtu` is 0, for not known (calculate_skb_padding, drivers/net/wireguard/send.c).
constexpr std::uint32_t padding(std::uint32_t length, std::uint32_t mtu) {
  const std::uint32_t last = mtu != 0 && length > mtu ? length % mtu : length;
  const std::uint32_t whole = (last + kMaxPadding) / 16 * 16;
  return (mtu == 0 ? whole : std::min(mtu, whole)) - last;
}

/// Decapsulates an outer packet of either family with a transport message as Pusher writes it, in
/// place. Refuses all packets that encap::read_outer(), encap::read_udp() and
/// wire::parse_wireguard() refuse, and a message whose inner packet is not whole as
/// Drop::Malformed, as wg_packet_receive does (drivers/net/wireguard/receive.c). Messages of the
/// handshake and keepalives, which contain no packet, are Drop::UnsupportedProtocol. An outer CE on
/// an inner Not-ECT packet is ignored, because wg_packet_consume_data_done
/// (drivers/net/wireguard/receive.c) ignores the result of INET_ECN_decapsulate. The caller checks
/// port, session and inner addresses.
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

/// The receiver index of a message that wireguard::pop() returned.
std::uint32_t receiver(const encap::Popped& popped);

/// Encapsulates IPv4 and IPv6 packets for one session. Unlike other pushers, it also writes behind
/// the packet.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet. It also needs kTailBytes behind the packet.
  std::uint32_t headroom() const {
    return outer_.size() + static_cast<std::uint32_t>(header_.size());
  }

  /// Encapsulates the packet that begins at `room` in `buffer` and ends kTailBytes before the end
  /// of `buffer`: headers in front, padding and tag behind. Returns the outer packet.
  /// Drop::Malformed if it is no whole packet, or the outer packet would be too long.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             const encap::PerPacket& per_packet) const;

 private:
  template <Family kInner>
  Result<std::span<std::uint8_t>, Drop> push_whole(std::span<std::uint8_t> packet,
                                                   const encap::PerPacket& per_packet) const;

  encap::OuterUdp outer_;
  std::array<std::uint8_t, wire::kWireguardHeaderBytes> header_{};
  std::uint32_t header_sum_ = 0;  ///< One's-complement sum of header_, in memory byte order.
  std::uint32_t mtu_ = 0;
};

}  // namespace overlane::wireguard

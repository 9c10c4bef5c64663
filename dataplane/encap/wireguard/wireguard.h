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

// WireGuard's framing and lengths without its cryptography (drivers/net/wireguard): the packet
// itself takes the place of the sealed payload, and tag and counter are zero. Handshakes and
// keys are not modelled.

/// What a transport message adds behind the packet: its padding and the tag.
inline constexpr std::uint32_t kMaxPadding = 15;
inline constexpr std::uint32_t kTailBytes = kMaxPadding + wire::kWireguardTagBytes;

/// A session with one peer, as Linux' `wireguard` devices have it (drivers/net/wireguard).
///
/// Nothing is encrypted here. In place of the sealed payload stands the packet itself with its
/// padding, and in place of the tag zeros; the counter, which tells repeated messages, is zero too.
/// Sizes and everything in front of the payload are those of real packets.
struct Tunnel {
  IpAddress source;
  IpAddress destination;       ///< In the same family as `source`.
  std::uint16_t port = 0;      ///< Port that both ends listen at and send from.
  std::uint32_t receiver = 0;  ///< The index by which the far end knows the session.
  std::uint32_t mtu = 0;       ///< MTU of the route into the device; 0 when it has none.
};

/// Bytes of zeros behind a packet of `length` bytes: up to a multiple of 16, but not beyond the MTU
/// (calculate_skb_padding, send.c), which is 0 when it is not known.
constexpr std::uint32_t padding(std::uint32_t length, std::uint32_t mtu) {
  const std::uint32_t last = mtu != 0 && length > mtu ? length % mtu : length;
  const std::uint32_t whole = (last + kMaxPadding) / 16 * 16;
  return (mtu == 0 ? whole : std::min(mtu, whole)) - last;
}

/// Takes an outer packet of either family with a transport message of Tunnel's kind apart in place.
/// Refused are what encap::read_outer() and encap::read_udp() refuse, and as Drop::Malformed what
/// wg_packet_receive (receive.c) does: a message that is none, or has no packet in full inside. Of
/// the other messages, and of the one without a packet that keeps a session alive, nothing goes on:
/// Drop::UnsupportedProtocol. Congestion that was marked outside on a packet that cannot carry the
/// mark is forgotten (wg_packet_consume_data_done ignores what INET_ECN_decapsulate says). Port,
/// session and the addresses inside are the caller's business.
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

/// The index of what pop() returned.
std::uint32_t receiver(const encap::Popped& popped);

/// Wraps IPv4 and IPv6 packets for one session. Unlike other tunnels it also writes behind them.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet; behind it are kTailBytes.
  std::uint32_t headroom() const {
    return outer_.size() + static_cast<std::uint32_t>(header_.size());
  }

  /// Writes headers in front of the packet that begins at `room` in `buffer` and ends kTailBytes
  /// before its end, padding and tag behind it, and returns the outer packet. Drop::Malformed when
  /// there is no such packet, or it is too long once wrapped.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             const encap::PerPacket& per_packet) const;

 private:
  template <Family kInner>
  Result<std::span<std::uint8_t>, Drop> push_whole(std::span<std::uint8_t> packet,
                                                   const encap::PerPacket& per_packet) const;

  encap::OuterUdp outer_;
  std::array<std::uint8_t, wire::kWireguardHeaderBytes> header_{};
  std::uint32_t header_sum_ = 0;  ///< In the order of memory.
  std::uint32_t mtu_ = 0;
};

}  // namespace overlane::wireguard

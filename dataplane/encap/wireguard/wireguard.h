#pragma once

#include <algorithm>
#include <cstdint>

#include "dataplane/net/address.h"
#include "dataplane/wire/wireguard.h"

namespace overlane::wireguard {

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
  IpAddress destination;       ///< Of the same family.
  std::uint16_t port = 0;      ///< That both listen at, and send from.
  std::uint32_t receiver = 0;  ///< The index by which the far end knows the session.
  std::uint32_t mtu = 0;       ///< Of the route into the device; 0 when there is none.
};

/// Bytes of zeros behind a packet of `length` bytes: up to a multiple of 16, but not beyond the MTU
/// (calculate_skb_padding, send.c), which is 0 when it is not known.
constexpr std::uint32_t padding(std::uint32_t length, std::uint32_t mtu) {
  const std::uint32_t last = mtu != 0 && length > mtu ? length % mtu : length;
  const std::uint32_t whole = (last + kMaxPadding) / 16 * 16;
  return (mtu == 0 ? whole : std::min(mtu, whole)) - last;
}

}  // namespace overlane::wireguard

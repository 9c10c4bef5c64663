#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::uint16_t kWireguardPort = 51820;

/// Message types and sizes (the WireGuard paper, sections 5.4.2 to 5.4.7; messages.h of Linux'
/// drivers/net/wireguard). A transport message carries a whole packet, or none to keep alive.
inline constexpr std::uint8_t kWireguardInitiation = 1;
inline constexpr std::uint8_t kWireguardResponse = 2;
inline constexpr std::uint8_t kWireguardCookieReply = 3;
inline constexpr std::uint8_t kWireguardTransport = 4;

inline constexpr std::size_t kWireguardInitiationBytes = 148;
inline constexpr std::size_t kWireguardResponseBytes = 92;
inline constexpr std::size_t kWireguardCookieReplyBytes = 64;
/// Header of 16 bytes and tag of 16; the size beyond is any, for padding ends at the MTU.
inline constexpr std::size_t kWireguardHeaderBytes = 16;
inline constexpr std::size_t kWireguardTagBytes = 16;
inline constexpr std::size_t kWireguardLeastTransportBytes =
    kWireguardHeaderBytes + kWireguardTagBytes;

/// What can be read of a WireGuard message; the rest is encrypted. Numbers are little-endian on the
/// wire.
struct WireguardHeader {
  std::uint8_t type = 0;
  std::optional<std::uint32_t> sender;    ///< Index, of a handshake.
  std::optional<std::uint32_t> receiver;  ///< Index, of all but an initiation.
  std::optional<std::uint64_t> counter;   ///< Counter of a transport message.

  auto operator<=>(const WireguardHeader&) const = default;
};

/// The header and what is wrong with it: Problem::UnknownKind, Problem::WrongSize, and
/// Problem::ReservedBits for the three bytes behind the type. Nothing when there are fewer than 16
/// bytes, which no message has.
std::optional<Inspected<WireguardHeader>> inspect_wireguard(std::span<const std::uint8_t> message);

/// Drop::Malformed when the type is unknown or the size is none that it has, and also for reserved
/// bytes: WireGuard compares all four as one number (prepare_skb_header, receive.c).
Result<WireguardHeader, Drop> parse_wireguard(std::span<const std::uint8_t> message);

/// Writes the header of a transport message, kWireguardHeaderBytes, to the front of `to`.
void write_wireguard_transport(std::uint32_t receiver, std::uint64_t counter,
                               std::span<std::uint8_t> to);

}  // namespace overlane::wire

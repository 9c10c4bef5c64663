#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::size_t kArpBytes = 28;

inline constexpr std::uint16_t kArpRequest = 1;
inline constexpr std::uint16_t kArpReply = 2;

/// An ARP packet for IPv4 over Ethernet (RFC 826).
struct ArpPacket {
  std::uint16_t operation = kArpRequest;
  MacAddress sender_mac;
  Ipv4Address sender;
  MacAddress target_mac;
  Ipv4Address target;

  auto operator<=>(const ArpPacket&) const = default;
};

/// The packet and what is wrong with it: Problem::UnknownKind when it is not for IPv4 over
/// Ethernet, Problem::WrongSize when its address lengths are not 6 and 4; addresses are left out
/// then. Nothing when there are fewer than 28 bytes.
std::optional<Inspected<ArpPacket>> inspect_arp(std::span<const std::uint8_t> bytes);

/// Drop::Malformed for each of these, as arp_rcv and arp_process have it (net/ipv4/arp.c).
Result<ArpPacket, Drop> parse_arp(std::span<const std::uint8_t> bytes);

/// Writes kArpBytes to the front of `to`, which must hold them.
void write(const ArpPacket& packet, std::span<std::uint8_t> to);

}  // namespace overlane::wire

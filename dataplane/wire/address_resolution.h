#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// How a node finds the link-layer address of a neighbour: ARP for IPv4 (RFC 826) and the neighbour
// solicitations and advertisements of IPv6 (RFC 4861). The messages only; dataplane/neighbour is
// the protocol. Decoders accept what arp_rcv and ndisc_rcv accept and never read beyond the bytes.

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

/// A neighbour message without and with its link-layer address option (RFC 4861, 4.3, 4.4, 4.6.1).
inline constexpr std::size_t kNeighbourMessageBytes = 24;
inline constexpr std::size_t kLinkAddressOptionBytes = 8;

/// A neighbour solicitation or advertisement on Ethernet (RFC 4861, sections 4.3 and 4.4).
struct NeighbourMessage {
  std::uint8_t type = kNeighbourSolicitation;  ///< … or kNeighbourAdvertisement.
  bool router = false;                         ///< R, S and O, of an advertisement.
  bool solicited = false;
  bool overrides = false;
  Ipv6Address target;
  /// The first link-layer address option of the kind that the type has: of a solicitation the
  /// source's, of an advertisement the target's.
  std::optional<MacAddress> mac;

  std::size_t bytes() const { return kNeighbourMessageBytes + (mac ? kLinkAddressOptionBytes : 0); }
  auto operator<=>(const NeighbourMessage&) const = default;
};

/// A whole ICMPv6 message, whose checksum is inspect_icmpv6's. Problem::UnknownKind when its type
/// is neither or its code not 0, Problem::BadOption when an option has no length or ends behind the
/// message, Problem::WrongSize when a link-layer address is not as long as Ethernet's,
/// Problem::ReservedBits. Nothing when there are fewer than 24 bytes.
std::optional<Inspected<NeighbourMessage>> inspect_neighbour_message(
    std::span<const std::uint8_t> message);

/// Drop::Malformed for each of the first three and what is truncated, as ndisc_rcv and
/// ndisc_parse_options have it (net/ipv6/ndisc.c).
Result<NeighbourMessage, Drop> parse_neighbour_message(std::span<const std::uint8_t> message);

/// Writes message.bytes() to the front of `to`, which must hold them, with the checksum for these
/// addresses.
void write(const NeighbourMessage& message, const IpAddress& source, const IpAddress& destination,
           std::span<std::uint8_t> to);

/// Shows that no router has forwarded a message (RFC 4861, section 7.1).
inline constexpr std::uint8_t kDiscoveryHopLimit = 255;

/// Writes its IPv6 packet, kIpv6Bytes + message.bytes(), with that hop limit.
void write_packet(const NeighbourMessage& message, const IpAddress& source,
                  const IpAddress& destination, std::span<std::uint8_t> to);

}  // namespace overlane::wire

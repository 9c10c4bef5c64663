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

// Messages that resolve the link-layer address of a neighbour: ARP for IPv4 (RFC 826), and
// neighbour solicitations and advertisements for IPv6 (RFC 4861). The protocol itself is in
// dataplane/neighbour. Decoders accept what arp_rcv and ndisc_rcv accept and never read beyond the
// given bytes.

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

/// The packet and its problems: Problem::UnknownKind if it is not for IPv4 over Ethernet,
/// Problem::WrongSize if its address lengths are not 6 and 4. With a problem, the addresses are not
/// decoded. nullopt if there are fewer than 28 bytes.
std::optional<Inspected<ArpPacket>> inspect_arp(std::span<const std::uint8_t> bytes);

/// Parses an ARP packet. Drop::Malformed if it is truncated or inspect_arp() finds a problem, as in
/// arp_rcv and arp_process (net/ipv4/arp.c).
Result<ArpPacket, Drop> parse_arp(std::span<const std::uint8_t> bytes);

/// Writes kArpBytes to the front of `to`, which must hold them.
void write(const ArpPacket& packet, std::span<std::uint8_t> to);

/// Sizes of a neighbour message without options, and of its link-layer address option on Ethernet
/// (RFC 4861, 4.3, 4.4, 4.6.1).
inline constexpr std::size_t kNeighbourMessageBytes = 24;
inline constexpr std::size_t kLinkAddressOptionBytes = 8;

/// A neighbour solicitation or advertisement on Ethernet (RFC 4861, sections 4.3 and 4.4).
struct NeighbourMessage {
  std::uint8_t type = kNeighbourSolicitation;  ///< Or kNeighbourAdvertisement.
  bool router = false;                         ///< R flag of an advertisement.
  bool solicited = false;                      ///< S flag of an advertisement.
  bool overrides = false;                      ///< O flag of an advertisement.
  Ipv6Address target;
  /// The first link-layer address option: the source's in a solicitation, the target's in an
  /// advertisement.
  std::optional<MacAddress> mac;

  std::size_t bytes() const { return kNeighbourMessageBytes + (mac ? kLinkAddressOptionBytes : 0); }
  auto operator<=>(const NeighbourMessage&) const = default;
};

/// Decodes a whole ICMPv6 message and its problems. The checksum is not verified: inspect_icmpv6()
/// does that. Problem::UnknownKind if it is no neighbour message or its code is not 0,
/// Problem::BadOption if an option has length 0 or ends behind the message, Problem::WrongSize if a
/// link-layer address is not of Ethernet's size, Problem::ReservedBits. nullopt if there are fewer
/// than 24 bytes.
std::optional<Inspected<NeighbourMessage>> inspect_neighbour_message(
    std::span<const std::uint8_t> message);

/// Parses a neighbour message. Drop::Malformed if it is truncated or inspect_neighbour_message()
/// finds a problem other than reserved bits, as in ndisc_rcv and ndisc_parse_options
/// (net/ipv6/ndisc.c).
Result<NeighbourMessage, Drop> parse_neighbour_message(std::span<const std::uint8_t> message);

/// Writes message.bytes() to the front of `to`, which must hold them, with the checksum for these
/// addresses.
void write(const NeighbourMessage& message, const IpAddress& source, const IpAddress& destination,
           std::span<std::uint8_t> to);

/// The hop limit of neighbour messages, which proves that no router has forwarded them (RFC 4861,
/// section 7.1).
inline constexpr std::uint8_t kDiscoveryHopLimit = 255;

/// Writes the IPv6 packet of a message, kIpv6Bytes + message.bytes(), with kDiscoveryHopLimit to
/// the front of `to`, which must hold them.
void write_packet(const NeighbourMessage& message, const IpAddress& source,
                  const IpAddress& destination, std::span<std::uint8_t> to);

}  // namespace overlane::wire

#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/address.h"

namespace overlane {

/// The one's-complement sum of the 16-bit words of `bytes`, an odd last byte padded with zero. Sums
/// of parts of even size add up to the sum of the whole.
std::uint16_t ones_complement_sum(std::span<const std::uint8_t> bytes);

/// The Internet checksum (RFC 1071) of `bytes`: the complement of the one's-complement sum of their
/// 16-bit words, an odd last byte padded with zero. Over bytes that hold a right checksum it is 0.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes);

/// The checksum of a TCP, UDP or ICMPv6 segment, pseudo header included (RFC 9293 3.1, RFC 768;
/// RFC 8200 8.1 for IPv6, which ICMPv6 uses too and ICMP does not). An IPv4-mapped address counts
/// the same as the IPv4 address, so the header's family does not matter. `protocol` is the one that
/// the segment belongs to, whatever extension headers stand in front of it. The segment's own
/// checksum field counts as it stands. UDP sends a result of 0 as 0xffff.
std::uint16_t transport_checksum(const IpAddress& source, const IpAddress& destination,
                                 std::uint8_t protocol, std::span<const std::uint8_t> segment);

/// The one's-complement sum of the pseudo header alone. A sender that leaves the rest to its NIC
/// writes it, not complemented, into the checksum field (CHECKSUM_PARTIAL, include/linux/skbuff.h).
std::uint16_t pseudo_header_sum(const IpAddress& source, const IpAddress& destination,
                                std::uint8_t protocol, std::size_t segment_bytes);

/// `checksum` after one 16-bit word that it covers changed (RFC 1624, equation 3).
std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t from, std::uint16_t to);

}  // namespace overlane

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// UDP (RFC 768) and TCP (RFC 9293) headers. No function here verifies or computes a checksum: the
// caller does, because it knows the addresses of the pseudo header (transport_checksum,
// checksum_state).

inline constexpr std::size_t kUdpBytes = 8;

/// A UDP header (RFC 768).
struct UdpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint16_t length = kUdpBytes;  ///< Header included.
  std::uint16_t checksum = 0;        ///< 0: the sender computed no checksum.

  auto operator<=>(const UdpHeader&) const = default;
};

/// The header at the front of `segment` and the problems of its length. nullopt if there are fewer
/// than 8 bytes.
std::optional<Inspected<UdpHeader>> inspect_udp(std::span<const std::uint8_t> segment,
                                                ZeroLength zero = ZeroLength::Refused);

/// Parses the header at the front of `segment`. Drop::Malformed if the header is truncated, or its
/// length is below 8 or beyond `segment`.
Result<UdpHeader, Drop> parse_udp(std::span<const std::uint8_t> segment,
                                  ZeroLength zero = ZeroLength::Refused);

/// The bytes that belong to the datagram of a parsed header. For a length of 0, these are all
/// bytes.
template <typename Byte>
std::span<Byte> datagram_of(const UdpHeader& header, std::span<Byte> segment) {
  return header.length == 0 ? segment : segment.first(header.length);
}

/// Writes kUdpBytes to the front of `to`, which must hold them, with the value of header.checksum.
void write(const UdpHeader& header, std::span<std::uint8_t> to);

inline constexpr std::size_t kTcpBytes = 20;
inline constexpr std::size_t kTcpMaxBytes = 60;

/// The timestamps option (RFC 7323, section 3.2).
struct TcpTimestamps {
  std::uint32_t value = 0;
  std::uint32_t echo = 0;
  auto operator<=>(const TcpTimestamps&) const = default;
};

/// Bits of TcpHeader::flags (RFC 9293 3.1).
inline constexpr std::uint8_t kTcpFin = 0x01;
inline constexpr std::uint8_t kTcpSyn = 0x02;
inline constexpr std::uint8_t kTcpRst = 0x04;
inline constexpr std::uint8_t kTcpPsh = 0x08;
inline constexpr std::uint8_t kTcpAck = 0x10;

inline constexpr std::uint8_t kTcpUrg = 0x20;
inline constexpr std::uint8_t kTcpEce = 0x40;
inline constexpr std::uint8_t kTcpCwr = 0x80;

/// A range of sequence numbers received beyond a gap (RFC 2018, section 3).
struct TcpSackBlock {
  std::uint32_t left = 0;   ///< The first sequence number of the range.
  std::uint32_t right = 0;  ///< The sequence number after the last.
  auto operator<=>(const TcpSackBlock&) const = default;
};

inline constexpr std::size_t kTcpMaxSackBlocks = 4;

/// A TCP header (RFC 9293) with the options of RFC 9293, 7323 and 2018. Parsing skips other
/// options.
struct TcpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  std::uint8_t flags = 0;
  std::uint8_t reserved_4 = 0;  ///< Four bits before the flags; the last is AE (RFC 9768).
  std::uint16_t window = 0;
  std::uint16_t checksum = 0;
  std::uint16_t urgent = 0;
  std::optional<std::uint16_t> mss;
  std::optional<std::uint8_t> window_scale;
  bool sack_permitted = false;
  std::optional<TcpTimestamps> timestamps;
  std::array<TcpSackBlock, kTcpMaxSackBlocks> sack_blocks = {};
  std::uint8_t sack_block_count = 0;

  auto operator<=>(const TcpHeader&) const = default;
};

/// The number of bytes that write() writes. Options have Linux's order and padding
/// (tcp_options_write, net/ipv4/tcp_output.c). A header of more than kTcpMaxBytes cannot be
/// written.
std::size_t header_bytes(const TcpHeader& header);

/// A header and the offset of its payload.
struct ParsedTcp {
  TcpHeader header;
  std::size_t header_bytes = kTcpBytes;
};

/// The header at the front of `segment` and the problems of its length and options:
/// Problem::IgnoredOption for a known option of a wrong size, and for an option that is longer than
/// the header, at which parsing ends (tcp_parse_options, net/ipv4/tcp_input.c). nullopt if there
/// are fewer than 20 bytes.
std::optional<Inspected<ParsedTcp>> inspect_tcp(std::span<const std::uint8_t> segment);

/// Parses the header at the front of `segment`. Drop::Malformed if the header is truncated or its
/// length is below 20 bytes.
Result<ParsedTcp, Drop> parse_tcp(std::span<const std::uint8_t> segment);

/// Writes header_bytes(header) to the front of `to`, which must hold them, with the value of
/// header.checksum.
void write(const TcpHeader& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire

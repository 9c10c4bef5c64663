#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::wire {

inline constexpr std::size_t kTcpBytes = 20;

/// RFC 7323 3.2.
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

/// A TCP header (RFC 9293) with the two options that part of every segment or handshake here; other
/// options are skipped when read.
struct TcpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  std::uint8_t flags = 0;
  std::uint16_t window = 0;
  std::uint16_t checksum = 0;
  std::uint16_t urgent = 0;
  std::optional<std::uint16_t> mss;
  std::optional<TcpTimestamps> timestamps;

  auto operator<=>(const TcpHeader&) const = default;
};

/// Bytes that write() makes of it: 20, 24, 32 or 36. Timestamps are padded by two NOPs in front, as
/// everyone sends them.
std::size_t header_bytes(const TcpHeader& header);

/// A header and where its payload starts.
struct ParsedTcp {
  TcpHeader header;
  std::size_t header_bytes = kTcpBytes;
};

/// Drop::Malformed when the header or an option is truncated or contradicts its length.
Result<ParsedTcp, Drop> parse_tcp(std::span<const std::uint8_t> segment);

/// Writes header_bytes(header) to the front of `to`, the checksum as given.
void write(const TcpHeader& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire

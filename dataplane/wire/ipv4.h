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

// The IPv4 header (RFC 791) with its options as bytes. parse_ipv4 accepts what ip_rcv_core
// accepts (net/ipv4/ip_input.c).

inline constexpr std::size_t kIpv4Bytes = 20;

/// An IPv4 header (RFC 791). Its options stay in the packet, where Ipv4Options reads them.
struct Ipv4Header {
  std::uint8_t header_bytes = kIpv4Bytes;
  std::uint8_t tos = 0;  ///< DSCP and ECN.
  std::uint16_t total_length = 0;
  std::uint16_t identification = 0;
  bool reserved_flag = false;  ///< The bit beside DF, which is sent as zero and ignored.
  bool dont_fragment = false;
  bool more_fragments = false;
  std::uint16_t fragment_offset = 0;  ///< Bytes, a multiple of 8.
  std::uint8_t ttl = 64;
  std::uint8_t protocol = 0;
  Ipv4Address source;
  Ipv4Address destination;

  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
  auto operator<=>(const Ipv4Header&) const = default;
};

/// The header at the front of `packet` and what is wrong with it: problems of version, lengths,
/// checksum, options and the reserved flag. Nothing when there are fewer than 20 bytes.
std::optional<Inspected<Ipv4Header>> inspect_ipv4(std::span<const std::uint8_t> packet,
                                                  ZeroLength zero = ZeroLength::Refused);

/// Reads the header at the front of `packet` and believes it no further than ip_rcv_core and
/// ip_options_compile do (net/ipv4): Drop::Malformed when it is truncated, no version 4, shorter
/// than 20 bytes or than its own length, longer than `packet`, or an option contradicts its length;
/// Drop::BadChecksum when that is wrong. Bytes behind the total length are link padding and no part
/// of the packet.
Result<Ipv4Header, Drop> parse_ipv4(std::span<const std::uint8_t> packet,
                                    ZeroLength zero = ZeroLength::Refused);

/// Parses a header quoted in an ICMP error, where the rest of the packet and perhaps a right
/// checksum are missing.
Result<Ipv4Header, Drop> parse_quoted_ipv4(std::span<const std::uint8_t> quote);

/// The part of the bytes that belongs to the packet of a parsed header: without link padding, and
/// all of them for a total length of 0.
template <typename Byte>
std::span<Byte> packet_of(const Ipv4Header& header, std::span<Byte> bytes) {
  return header.total_length == 0 ? bytes : bytes.first(header.total_length);
}

/// Writes the header with its checksum to the front of `to`, which must hold header_bytes. Options
/// are left as they stand there.
void write(const Ipv4Header& header, std::span<std::uint8_t> to);

/// An option of an IPv4 header (RFC 791, section 3.1).
struct Ipv4Option {
  std::uint8_t kind = 0;               ///< Copied flag, class and number.
  std::span<const std::uint8_t> data;  ///< Behind kind and length; nothing of a NOP.
};

inline constexpr std::uint8_t kIpv4EndOfOptions = 0;
inline constexpr std::uint8_t kIpv4Nop = 1;

/// Reads the options of a header one by one, NOPs included, up to the end-of-options mark.
class Ipv4Options {
 public:
  /// `packet` holds all of the header.
  Ipv4Options(const Ipv4Header& header, std::span<const std::uint8_t> packet)
      : rest_(packet.subspan(kIpv4Bytes, header.header_bytes - kIpv4Bytes)) {}

  /// The next option, or nothing at the end or at one that is longer than the header.
  std::optional<Ipv4Option> next();
  bool malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

}  // namespace overlane::wire

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// IPv4 (RFC 791) and IPv6 (RFC 8200): headers, options and extension headers as bytes. Parsers
// accept what ip_rcv_core and ip6_rcv_core accept (net/ipv4/ip_input.c, net/ipv6/ip6_input.c) and
// never read beyond the given bytes. Options stay in the packet: Ipv4Options, Ipv6Extensions and
// Ipv6Options iterate over them there, so the bytes must outlive these objects.

/// IP protocol numbers (IANA) in the protocol field of IPv4 and the next header field of IPv6.
inline constexpr std::uint8_t kIcmp = 1;
inline constexpr std::uint8_t kIpv4InIp = 4;
inline constexpr std::uint8_t kTcp = 6;
inline constexpr std::uint8_t kUdp = 17;
inline constexpr std::uint8_t kIpv6InIp = 41;
inline constexpr std::uint8_t kEncapsulatedSecurityPayload = 50;
inline constexpr std::uint8_t kIcmpv6 = 58;

/// Makes a valid packet of `bytes` bytes, headers included, for generators of traffic: an IP header
/// without options, a UDP header with checksum if the protocol is UDP and `bytes` has room for it,
/// and zeros. Requires room for the IP header.
std::vector<std::uint8_t> ip_packet(const FlowKey& flow, std::size_t bytes, std::uint8_t ttl = 64);

inline constexpr std::size_t kIpv4Bytes = 20;

/// An IPv4 header (RFC 791). Its options stay in the packet, where Ipv4Options reads them.
struct Ipv4Header {
  std::uint8_t header_bytes = kIpv4Bytes;
  std::uint8_t tos = 0;  ///< DSCP and ECN.
  std::uint16_t total_length = 0;
  std::uint16_t identification = 0;
  bool reserved_flag = false;  ///< The bit before DF: sent as zero, ignored by receivers.
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
/// checksum, options and the reserved flag. nullopt if there are fewer than 20 bytes.
std::optional<Inspected<Ipv4Header>> inspect_ipv4(std::span<const std::uint8_t> packet,
                                                  ZeroLength zero = ZeroLength::Refused);

/// Parses the header at the front of `packet` with the checks of ip_rcv_core and ip_options_compile
/// (net/ipv4/ip_input.c, net/ipv4/ip_options.c). Drop::Malformed if the header is truncated, has
/// another version than 4 or a header length below 20, if the total length is less than the header
/// length or more than `packet`, or if an option contradicts its length; Drop::BadChecksum if the
/// checksum is wrong. Bytes behind the total length are link padding, not part of the packet.
Result<Ipv4Header, Drop> parse_ipv4(std::span<const std::uint8_t> packet,
                                    ZeroLength zero = ZeroLength::Refused);

/// Parses a header quoted in an ICMP error. The rest of the packet may be missing and the checksum
/// may be wrong.
Result<Ipv4Header, Drop> parse_quoted_ipv4(std::span<const std::uint8_t> quote);

/// The bytes that belong to the packet of a parsed header, without link padding. For a total length
/// of 0, these are all bytes.
template <typename Byte>
std::span<Byte> packet_of(const Ipv4Header& header, std::span<Byte> bytes) {
  return header.total_length == 0 ? bytes : bytes.first(header.total_length);
}

/// Writes the header with its checksum to the front of `to`, which must hold header_bytes. The
/// bytes of the options in `to` remain unchanged.
void write(const Ipv4Header& header, std::span<std::uint8_t> to);

/// An option of an IPv4 header (RFC 791, section 3.1).
struct Ipv4Option {
  std::uint8_t kind = 0;               ///< Copied flag, class and number.
  std::span<const std::uint8_t> data;  ///< The bytes after kind and length; empty for a NOP.
};

inline constexpr std::uint8_t kIpv4EndOfOptions = 0;
inline constexpr std::uint8_t kIpv4Nop = 1;

/// Reads the options of a header one by one, NOPs included, up to the end-of-options mark.
class Ipv4Options {
 public:
  /// `packet` must hold the whole header.
  Ipv4Options(const Ipv4Header& header, std::span<const std::uint8_t> packet)
      : rest_(packet.subspan(kIpv4Bytes, header.header_bytes - kIpv4Bytes)) {}

  /// The next option. nullopt at the end or if the next option is longer than the header.
  std::optional<Ipv4Option> next();
  bool malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

/// Next header values that Ipv6Extensions treats as extension headers (RFC 8200, section 4; AH: RFC
/// 4302). ESP ends the walk, because the bytes behind it are encrypted. kNoNextHeader means that
/// nothing follows.
inline constexpr std::uint8_t kHopByHop = 0;
inline constexpr std::uint8_t kRouting = 43;
inline constexpr std::uint8_t kFragment = 44;
inline constexpr std::uint8_t kAuthentication = 51;
inline constexpr std::uint8_t kDestinationOptions = 60;
inline constexpr std::uint8_t kNoNextHeader = 59;

inline constexpr std::size_t kFragmentHeaderBytes = 8;

/// Most extension headers that Ipv6Extensions follows, as in Linux's flow dissector
/// (MAX_FLOW_DISSECT_HDRS, net/core/flow_dissector.c).
inline constexpr int kMaxExtensionHeaders = 15;

/// A fragment header (RFC 8200, section 4.5).
struct FragmentHeader {
  std::uint8_t next_header = 0;
  std::uint16_t offset = 0;  ///< Bytes, a multiple of 8, of the fragmentable part.
  bool more_fragments = false;
  std::uint32_t identification = 0;

  auto operator<=>(const FragmentHeader&) const = default;
};

/// Whether a fragment with `bytes` bytes behind its fragment header cannot be part of a packet: it
/// is not the last one and `bytes` is no multiple of 8, or the payload would exceed 65,535 bytes.
/// Reassembly answers both with a parameter problem (RFC 8200, section 4.5).
constexpr bool is_bad_fragment(const FragmentHeader& header, std::size_t bytes) {
  return (header.more_fragments && bytes % 8 != 0) || header.offset + bytes > 0xffff;
}

/// Writes kFragmentHeaderBytes to the front of `to`, which must hold them.
void write(const FragmentHeader& header, std::span<std::uint8_t> to);

/// One extension header in its packet.
struct Ipv6Extension {
  std::uint8_t kind = 0;                ///< The next header value of this type.
  std::size_t offset = 0;               ///< From the front of the IPv6 header.
  std::span<const std::uint8_t> bytes;  ///< The whole header: next header, length, data.
  std::uint8_t next_header = 0;
};

/// Walks the extension headers of an IPv6 packet in order. The walk ends at the upper layer or
/// behind the fragment header of a fragment that is not the first (the rest is payload). It ends
/// with malformed() at a header beyond the packet, at a hop-by-hop header that is not the first,
/// and after kMaxExtensionHeaders.
class Ipv6Extensions {
 public:
  /// `packet` is the whole IPv6 packet without link padding. Its header must have been parsed.
  explicit Ipv6Extensions(std::span<const std::uint8_t> packet);

  /// The next extension header, or nullopt at the end.
  std::optional<Ipv6Extension> next();

  bool malformed() const { return malformed_; }
  /// The protocol of the next header after those walked so far, and its offset.
  std::uint8_t next_header() const { return next_header_; }
  std::size_t offset() const { return offset_; }
  /// The fragment header, if the walk has passed one.
  const std::optional<FragmentHeader>& fragment() const { return fragment_; }
  std::size_t fragment_header_offset() const { return fragment_header_offset_; }

 private:
  bool at_extension() const;
  /// The size of the header at offset_ by its length field, which may reach beyond the packet.
  std::size_t claimed_bytes() const;

  std::span<const std::uint8_t> packet_;
  std::size_t offset_;
  std::uint8_t next_header_;
  int count_ = 0;
  bool malformed_ = false;
  std::optional<FragmentHeader> fragment_;
  std::size_t fragment_header_offset_ = 0;
};

/// The upper layer of an IPv6 packet, behind its extension headers.
struct UpperLayer {
  /// Protocol number behind the last extension header; for a fragment, that of the whole packet.
  std::uint8_t protocol = kNoNextHeader;
  std::size_t offset = 0;  ///< From the front of the IPv6 header; at most the packet's size.
  std::optional<FragmentHeader> fragment;
  std::size_t fragment_header_offset =
      0;  ///< Bytes from the front of the IPv6 header; set with `fragment`.

  /// False for an atomic fragment, whose fragment header has offset 0 and no M flag (RFC 6946).
  bool is_fragment() const {
    return fragment && (fragment->more_fragments || fragment->offset != 0);
  }
};

/// Walks to the upper layer. Drop::Malformed if the walk ends at a header that it cannot follow.
Result<UpperLayer, Drop> find_upper_layer(std::span<const std::uint8_t> packet);

/// The number of bytes at the front of a packet that each of its fragments repeats: the IPv6 header
/// and the extension headers that ip6_find_1stfragopt skips (net/ipv6/output_core.c).
std::size_t bytes_before_fragment_header(std::span<const std::uint8_t> packet);

/// An option of a hop-by-hop or destination options header (RFC 8200, section 4.2).
struct Ipv6Option {
  std::uint8_t type = 0;
  std::span<const std::uint8_t> data;
};

/// Option types (RFC 8200 4.2; RFC 2675; RFC 2473 4.1.1).
inline constexpr std::uint8_t kPad1 = 0;
inline constexpr std::uint8_t kPadN = 1;
inline constexpr std::uint8_t kTunnelEncapsulationLimit = 4;
inline constexpr std::uint8_t kJumboPayload = 0xc2;

/// Reads the options of an extension header one by one, padding included.
class Ipv6Options {
 public:
  explicit Ipv6Options(const Ipv6Extension& extension) : rest_(extension.bytes.subspan(2)) {}

  /// The next option. nullopt at the end or if the next option is longer than the header.
  std::optional<Ipv6Option> next();
  bool malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

inline constexpr std::size_t kIpv6Bytes = 40;

/// The fixed IPv6 header (RFC 8200, section 3). Ipv6Extensions reads the extension headers between
/// it and the upper layer.
struct Ipv6Header {
  std::uint8_t traffic_class = 0;    ///< DSCP and ECN, as IPv4's TOS byte.
  std::uint32_t flow_label = 0;      ///< 20 bits.
  std::uint16_t payload_length = 0;  ///< Bytes after the 40, with extension headers.
  std::uint8_t next_header = 0;
  std::uint8_t hop_limit = 64;
  IpAddress source;
  IpAddress destination;

  auto operator<=>(const Ipv6Header&) const = default;
};

/// The header at the front of `packet` and what is wrong with it: problems of version, length and
/// addresses. nullopt if there are fewer than 40 bytes.
std::optional<Inspected<Ipv6Header>> inspect_ipv6(std::span<const std::uint8_t> packet);

/// Parses the header at the front of `packet` with the checks of ip6_rcv_core
/// (net/ipv6/ip6_input.c). Drop::Malformed if the header is truncated, has another version than 6
/// or a payload length beyond `packet`. An IPv4-mapped address is Drop::Malformed too: IpAddress
/// represents IPv4 in that form, so it would match IPv4 routes. (Linux dropped such sources
/// from 5.4 to 5.11; now TCP does.) Bytes behind the payload length are link padding, not part of
/// the packet.
Result<Ipv6Header, Drop> parse_ipv6(std::span<const std::uint8_t> packet);

/// Parses a header quoted in an ICMPv6 error, where the rest of the packet may be missing.
Result<Ipv6Header, Drop> parse_quoted_ipv6(std::span<const std::uint8_t> quote);

/// The bytes that belong to the packet of a parsed header, without link padding. With
/// ZeroLength::MeansFrame, a payload length of 0 selects all bytes, which is right for the GSO
/// super-packets of a capture (with a jumbo payload option before Linux 7.0, without one since).
template <typename Byte>
std::span<Byte> packet_of(const Ipv6Header& header, std::span<Byte> bytes,
                          ZeroLength zero = ZeroLength::Refused) {
  if (header.payload_length == 0 && zero == ZeroLength::MeansFrame) return bytes;
  return bytes.first(kIpv6Bytes + header.payload_length);
}

/// Writes kIpv6Bytes to the front of `to`, which must hold them.
void write(const Ipv6Header& header, std::span<std::uint8_t> to);

}  // namespace overlane::wire

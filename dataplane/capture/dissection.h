#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/capture/decode.h"
#include "dataplane/net/address.h"
#include "dataplane/wire/problem.h"

namespace overlane::capture {

// The implementation of decode() (decode.h). A Dissection collects the layers and problems of one
// packet. The decode_… functions in decode.cpp, decode_ip.cpp, decode_transport.cpp and
// decode_tunnel.cpp call each other from header to header. They use the parsers of dataplane/wire
// and never fail: a truncated or contradictory header is a problem of the packet.

/// The bytes of one layer and of everything that it carries.
struct Slice {
  std::span<const std::uint8_t> bytes;  ///< Captured bytes.
  std::size_t length = 0;               ///< Length on the wire.
  bool is_fragment =
      false;  ///< Part of a longer packet: a first fragment, or a packet quoted in an ICMP error.

  /// Whether all bytes are present to which the headers refer. Lengths and checksums can be checked
  /// only then.
  bool is_whole() const { return !is_fragment && bytes.size() == length; }
  Slice from(std::size_t offset) const;
  Slice first(std::size_t count) const;
  Slice end() const { return from(length); }
  /// The first `count` bytes, where `count` is the length that a header claims for itself and its
  /// content. The whole slice if that is shorter than the header or longer than the slice.
  Slice claimed(std::size_t count, std::size_t header_bytes) const {
    return count < header_bytes || count > length ? *this : first(count);
  }
};

/// Content of a pseudo header (RFC 9293, RFC 8200): the addresses that a transport checksum covers,
/// and the protocol of the transport header.
struct Upper {
  std::uint8_t protocol = 0;
  IpAddress source;
  IpAddress destination;
};

/// Describes the values of a problem of a header, such as "7, expected at least 8". Returns an
/// empty text if there are none.
using ProblemValues = std::function<std::string(wire::Problem)>;

/// Numbers of checksums of transport headers and ICMP messages, by the result of their check.
struct ChecksumCounts {
  std::uint32_t right = 0;
  std::uint32_t left_to_offload = 0;
  std::uint32_t wrong = 0;

  ChecksumCounts operator-(const ChecksumCounts& earlier) const {
    return {right - earlier.right, left_to_offload - earlier.left_to_offload,
            wrong - earlier.wrong};
  }
};

/// Collects the layers and problems of one packet for the functions below.
class Dissection {
 public:
  Dissection(std::span<const std::uint8_t> packet, const std::vector<TunnelPort>& ports,
             DecodedPacket& decoded)
      : packet_(packet.data()), ports_(ports), decoded_(decoded) {}

  /// Adds a layer whose header consists of the first `bytes` bytes of `slice`, or fewer if the
  /// slice is shorter. Returns the index of the layer.
  std::size_t add(LayerKind kind, const Slice& slice, std::size_t bytes, Fields fields);
  /// Adds a remark on a layer that is not a problem.
  void add_note(std::size_t layer, std::string text);
  void add_payload(const Slice& slice);
  /// Adds the bytes after the end of a packet as a layer, with a problem, because none are expected
  /// there.
  void add_trailer(LayerKind behind, const Slice& slice);
  void add_padding(const Slice& slice);
  /// Adds a problem and a payload for a header whose fixed part is truncated.
  void add_cut_header(LayerKind kind, const Slice& slice);

  void add_problem(LayerKind kind, std::string_view what);
  /// Adds the problems found by a parser of wire, with the found and expected values. Omits
  /// problems that may result from truncation or fragmentation.
  void add_problems(LayerKind kind, wire::Problems problems, const Slice& slice,
                    const ProblemValues& values);

  /// Counts an IP header. Returns false, and adds a problem and a payload, if there are more than
  /// kMaxIpHeaders.
  bool enter_ip(LayerKind kind, const Slice& slice);
  void enter_quote() { quoted_ = true; }
  bool quoted() const { return quoted_; }

  /// Checks the checksum at `offset` in a complete segment, which must contain it. A wrong checksum
  /// is a problem; a checksum that Linux left to the NIC is a note. `inside` counts the checksums
  /// of the inner packet if the segment carries a tunnel.
  void judge_checksum(std::size_t layer, const Upper& upper, std::span<const std::uint8_t> segment,
                      std::size_t offset, const ChecksumCounts& inside = {});
  /// Counts the checksum of an ICMP message, which covers no pseudo header.
  void count_checksum(bool is_right) { ++(is_right ? checksums_.right : checksums_.wrong); }
  /// Counts of all checksums so far.
  const ChecksumCounts& checksums() const { return checksums_; }

  const std::vector<TunnelPort>& ports() const { return ports_; }

 private:
  struct Completion {
    const std::uint8_t* at;
    std::uint16_t value;
  };

  /// The value of a checksum over `segment` after the NIC has filled in the checksums left to it.
  std::uint16_t completed(std::uint16_t checksum, std::span<const std::uint8_t> segment) const;

  const std::uint8_t* packet_;
  const std::vector<TunnelPort>& ports_;
  DecodedPacket& decoded_;
  std::vector<Completion> completions_;
  ChecksumCounts checksums_;
  int ip_headers_ = 0;
  bool quoted_ = false;
};

// Each function decodes one header at the start of `slice` and everything that the header carries.
// A function for a packet returns the bytes after the end of the packet.
void decode_frame(Dissection& dissection, LinkType link_type, const Slice& slice);
void decode_ethernet(Dissection& dissection, const Slice& slice);
Slice decode_arp(Dissection& dissection, const Slice& slice);
Slice decode_ip(Dissection& dissection, const Slice& slice);  ///< IPv4 or IPv6, by the version.
Slice decode_ipv4(Dissection& dissection, const Slice& slice);
Slice decode_ipv6(Dissection& dissection, const Slice& slice);
/// Decodes the content of an IP packet. `slice` is the first fragment of the content or all of it.
void decode_upper(Dissection& dissection, const Upper& upper, const Slice& slice);
void decode_udp(Dissection& dissection, const Upper& upper, const Slice& slice);
void decode_tcp(Dissection& dissection, const Upper& upper, const Slice& slice);
void decode_icmp(Dissection& dissection, const Slice& slice);
void decode_icmpv6(Dissection& dissection, const Upper& upper, const Slice& slice);
/// Decodes the payload of a UDP datagram if its port is one of `ports`. Returns false if it is not
/// a tunnel packet.
bool decode_tunnel(Dissection& dissection, std::uint16_t source_port,
                   std::uint16_t destination_port, const Slice& slice);

// Texts of the values of a problem.

/// "7, expected at least 8".
std::string too_few(std::size_t found, std::size_t least);
/// "1500, 98 are there": a length field of 1500 while 98 bytes are present.
std::string too_many(std::size_t found, std::size_t there);
/// "version 6, expected 4".
std::string other_version(unsigned found, unsigned expected);
/// "0x1a2b, expected 0x3c4d". `sum` is the checksum over all covered bytes including the field.
std::string wrong_checksum(std::uint16_t found, std::uint16_t sum);

/// "0a0b0c".
std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace overlane::capture

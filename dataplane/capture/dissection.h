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

// The inside of decode() (decode.h): Dissection collects the layers and problems of one packet
// while the decode_… functions of decode.cpp, decode_ip.cpp, decode_transport.cpp and
// decode_tunnel.cpp call each other from header to header. They use the parsers of
// dataplane/wire and never fail: a cut or contradictory header is a problem of the packet.

/// The bytes of one layer and of all that it carries.
struct Slice {
  std::span<const std::uint8_t> bytes;  ///< Captured bytes.
  std::size_t length = 0;               ///< Length on the wire.
  bool is_fragment = false;  ///< It is a part of a longer packet: a first fragment, or a quote.

  /// Whether everything is there that its headers speak of: only then lengths and checksums of it
  /// can be judged.
  bool is_whole() const { return !is_fragment && bytes.size() == length; }
  Slice from(std::size_t offset) const;
  Slice first(std::size_t count) const;
  Slice end() const { return from(length); }
  /// The front that a header claims for itself and what it carries; all of it when the claim is
  /// less than the header or more than there is.
  Slice claimed(std::size_t count, std::size_t header_bytes) const {
    return count < header_bytes || count > length ? *this : first(count);
  }
};

/// What a transport header's checksum covers besides the segment, and which header it is.
struct Upper {
  std::uint8_t protocol = 0;
  IpAddress source;
  IpAddress destination;
};

/// The values behind a problem of a header, such as "7, expected at least 8"; empty: there are
/// none.
using ProblemValues = std::function<std::string(wire::Problem)>;

/// Checksums of transport headers and ICMP messages by the outcome of their check.
struct ChecksumCounts {
  std::uint32_t right = 0;
  std::uint32_t left_to_offload = 0;
  std::uint32_t wrong = 0;

  ChecksumCounts operator-(const ChecksumCounts& earlier) const {
    return {right - earlier.right, left_to_offload - earlier.left_to_offload,
            wrong - earlier.wrong};
  }
};

/// One packet on its way through the functions below: collects layers and problems.
class Dissection {
 public:
  Dissection(std::span<const std::uint8_t> packet, const std::vector<TunnelPort>& ports,
             DecodedPacket& decoded)
      : packet_(packet.data()), ports_(ports), decoded_(decoded) {}

  /// Adds a layer whose header is the first `bytes` of `slice`, as far as they are there; its
  /// index.
  std::size_t add(LayerKind kind, const Slice& slice, std::size_t bytes, Fields fields);
  /// Says something about a layer that is no problem.
  void add_note(std::size_t layer, std::string text);
  void add_payload(const Slice& slice);
  /// What stands behind the end of a packet where nothing should.
  void add_trailer(LayerKind behind, const Slice& slice);
  void add_padding(const Slice& slice);
  /// For a header whose fixed part is not there.
  void add_cut_header(LayerKind kind, const Slice& slice);

  void add_problem(LayerKind kind, std::string_view what);
  /// What wire found, with the values found and expected, but for what a cut or a fragment cannot
  /// tell.
  void add_problems(LayerKind kind, wire::Problems problems, const Slice& slice,
                    const ProblemValues& values);

  /// Counts one more IP header; false, with a problem and a payload, when there are too many.
  bool enter_ip(LayerKind kind, const Slice& slice);
  void enter_quote() { quoted_ = true; }
  bool quoted() const { return quoted_; }

  /// The checksum that stands `offset` bytes into a whole segment, which must hold it, against the
  /// one it should have: a wrong one is a problem, one that Linux left to the NIC a note. `inside`:
  /// the checksums of the packet that the segment carries, if it is a tunnel's.
  void judge_checksum(std::size_t layer, const Upper& upper, std::span<const std::uint8_t> segment,
                      std::size_t offset, const ChecksumCounts& inside = {});
  /// Counts the checksum of an ICMP message, which has no pseudo header.
  void count_checksum(bool is_right) { ++(is_right ? checksums_.right : checksums_.wrong); }
  /// Counts of all checksums so far.
  const ChecksumCounts& checksums() const { return checksums_; }

  const std::vector<TunnelPort>& ports() const { return ports_; }

 private:
  struct Completion {
    const std::uint8_t* at;
    std::uint16_t value;
  };

  /// What a checksum computed over `segment` is once those that were left to the NIC are there.
  std::uint16_t completed(std::uint16_t checksum, std::span<const std::uint8_t> segment) const;

  const std::uint8_t* packet_;
  const std::vector<TunnelPort>& ports_;
  DecodedPacket& decoded_;
  std::vector<Completion> completions_;
  ChecksumCounts checksums_;
  int ip_headers_ = 0;
  bool quoted_ = false;
};

// Each reads one header at the front of `slice` and all that it carries. Those of packets return
// what stands behind the packet's end.
void decode_frame(Dissection& dissection, LinkType link_type, const Slice& slice);
void decode_ethernet(Dissection& dissection, const Slice& slice);
Slice decode_arp(Dissection& dissection, const Slice& slice);
Slice decode_ip(Dissection& dissection, const Slice& slice);  ///< By its version.
Slice decode_ipv4(Dissection& dissection, const Slice& slice);
Slice decode_ipv6(Dissection& dissection, const Slice& slice);
/// What an IP packet carries; `slice` is the first fragment of it or all of it.
void decode_upper(Dissection& dissection, const Upper& upper, const Slice& slice);
void decode_udp(Dissection& dissection, const Upper& upper, const Slice& slice);
void decode_tcp(Dissection& dissection, const Upper& upper, const Slice& slice);
void decode_icmp(Dissection& dissection, const Slice& slice);
void decode_icmpv6(Dissection& dissection, const Upper& upper, const Slice& slice);
/// The payload of a UDP datagram to `ports`' port, when it is one of a tunnel; else false.
bool decode_tunnel(Dissection& dissection, std::uint16_t source_port,
                   std::uint16_t destination_port, const Slice& slice);

// The values of a problem.

/// "7, expected at least 8".
std::string too_few(std::size_t found, std::size_t least);
/// "1500, 98 are there".
std::string too_many(std::size_t found, std::size_t there);
/// "version 6, expected 4".
std::string other_version(unsigned found, unsigned expected);
/// "0x1a2b, expected 0x3c4d"; `sum` is the checksum over all that it covers, the field included.
std::string wrong_checksum(std::uint16_t found, std::uint16_t sum);

/// "0a0b0c".
std::string hex(std::span<const std::uint8_t> bytes);

}  // namespace overlane::capture

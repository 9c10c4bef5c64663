#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dataplane/capture/decode.h"

namespace overlane::capture {

// Answers of `overlane decode`: a decoded packet as text or JSON, and the diagnosis of faults that
// only many packets together show.

/// A fault of a sender that the packets of a capture show together, and how to end it.
struct Diagnosis {
  std::string_view name;  ///< In kebab-case.
  std::uint64_t packets = 0;
  std::set<std::string> senders;  ///< Addresses.
  std::string meaning;
  std::string remedy;
};

/// Recognises broken offload of tunnel checksums. The kernel leaves the outer UDP checksum to the
/// NIC (udp_tunnel, NETIF_F_GSO_UDP_TUNNEL_CSUM); some NICs and kernels write a wrong one, and the
/// receiver drops packets whose inner headers are right (projectcalico/calico #4865, 2021; Felix
/// calls it ChecksumOffloadBroken in felix/environment/feature_detect_linux.go). A capture taken on
/// the sender shows wrong checksums without any fault, because the NIC has not filled them in yet.
class OuterChecksums {
 public:
  void add(const DecodedPacket& packet);
  /// Nothing without such a packet.
  std::optional<Diagnosis> diagnosis() const;

 private:
  std::uint64_t packets_ = 0;
  std::set<std::string> senders_;
  std::set<std::string_view> devices_;
  bool is_calico_ = false;
};

// Prints a decoded packet: for people, and as one line of JSON for `overlane decode`.

/// A packet for people: one line with its number, the time since `start`, its length and its
/// headers; each packet inside on a line of its own, further to the right; then a line per problem.
std::string print(const DecodedPacket& packet, Timestamp start);

/// One line of JSON without its end: "file" when one is given, "number", "timestamp",
/// "length_bytes", "layers" (each with "layer" first) and "problems".
std::string to_json(const DecodedPacket& packet, std::string_view file = "");

}  // namespace overlane::capture

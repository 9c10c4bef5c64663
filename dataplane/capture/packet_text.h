#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "dataplane/capture/decode.h"

namespace overlane::capture {

// The output of `overlane decode`: a decoded packet as text or JSON, and the diagnosis of faults
// that are visible only in many packets together.

/// A fault of a sender, recognised in the packets of a capture, and its remedy.
struct Diagnosis {
  std::string_view name;  ///< In kebab-case.
  std::uint64_t packets = 0;
  std::set<std::string> senders;  ///< IP addresses of the senders.
  std::string meaning;
  std::string remedy;
};

/// Recognises broken offload of outer checksums of tunnels. The kernel leaves the outer UDP
/// checksum to the NIC (udp_tunnel, NETIF_F_GSO_UDP_TUNNEL_CSUM). Some combinations of NIC and
/// kernel write a wrong checksum, and the receiver drops packets whose inner headers are right
/// (projectcalico/calico #4865, 2021; Felix calls it ChecksumOffloadBroken in
/// felix/environment/feature_detect_linux.go). A capture on the sender shows wrong checksums
/// without any fault, because the NIC has not filled them in yet.
class OuterChecksums {
 public:
  void add(const DecodedPacket& packet);
  /// The diagnosis. Nothing if no packet had a wrong outer checksum.
  std::optional<Diagnosis> diagnosis() const;

 private:
  std::uint64_t packets_ = 0;
  std::set<std::string> senders_;
  std::set<std::string_view> devices_;
  bool is_calico_ = false;
};

/// A packet as text: one line with its number, the time since `start`, its length and its headers;
/// one further indented line per inner packet; then one line per problem.
std::string print(const DecodedPacket& packet, Timestamp start);

/// A packet as one line of JSON, without a line end: "file" if given, "number", "timestamp",
/// "length_bytes", "layers" (each begins with "layer") and "problems".
std::string to_json(const DecodedPacket& packet, std::string_view file = "");

}  // namespace overlane::capture

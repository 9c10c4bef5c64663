#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dataplane/net/address.h"

namespace overlane::node {

// Keys of connection tracking: the tuple of one direction (struct nf_conntrack_tuple), its inverse
// and its hash, and NAT's choice of a source port (nf_nat_core.c). The table of connections is
// runtime/conntrack.h.

/// A range of ports or ICMP identifiers, `first` to `last` inclusive.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  constexpr bool contains(std::uint16_t port) const { return first <= port && port <= last; }
  constexpr std::uint32_t size() const { return std::uint32_t{last} - first + 1; }
  auto operator<=>(const PortRange&) const = default;
};

/// One direction of a connection (struct nf_conntrack_tuple). Both ports are 0 for protocols whose
/// ports connection tracking does not know. ICMP messages with an identifier, such as echo, have it
/// as source port, and type * 256 + code as destination port.
struct ConntrackTuple {
  IpAddress source;
  IpAddress destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;

  auto operator<=>(const ConntrackTuple&) const = default;
};

/// IP protocol numbers (IANA) that connection tracking distinguishes.
inline constexpr std::uint8_t kTrackedIcmp = 1;
inline constexpr std::uint8_t kTrackedTcp = 6;
inline constexpr std::uint8_t kTrackedUdp = 17;
inline constexpr std::uint8_t kTrackedIcmpv6 = 58;

/// Returns the tuple of an ICMP or ICMPv6 message with an identifier.
ConntrackTuple icmp_tuple(IpAddress source, IpAddress destination, std::uint8_t type,
                          std::uint8_t code, std::uint16_t identifier);

/// Returns the tuple of the answer to a packet; nothing if there is no answer (an ICMP message that
/// is neither a query nor an answer).
std::optional<ConntrackTuple> inverse(const ConntrackTuple& tuple);

/// Returns whether a packet may open a connection: all packets except ICMP messages that are no
/// queries (valid_new of nf_conntrack_proto_icmp.c and nf_conntrack_proto_icmpv6.c).
bool opens_connection(const ConntrackTuple& tuple);

/// Returns whether the message is of neighbour or multicast listener discovery, which stay
/// untracked (icmpv6_error of nf_conntrack_proto_icmpv6.c, types 130 to 137 and 143).
bool is_untracked_icmpv6(const ConntrackTuple& tuple);

/// Returns a hash of all fields, the same on every platform. Different seeds give independent
/// hashes.
std::uint64_t hash(const ConntrackTuple& tuple, std::uint64_t seed = 0);

struct ConntrackTupleHash {
  std::size_t operator()(const ConntrackTuple& tuple) const { return hash(tuple); }
};

/// The tuple as `conntrack -L` prints it: "src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2".
std::string to_string(const ConntrackTuple& tuple);

/// The new source of a packet.
struct SourceTranslation {
  IpAddress source;
  std::optional<PortRange> ports;
  bool random_fully = false;  ///< Never keep the port (--random-fully, which Felix sets).

  auto operator<=>(const SourceTranslation&) const = default;
};

/// Returns the tuple of `original` after translation of its source; nothing if no port is free.
/// `is_taken` returns whether a tuple cannot be distinguished from another connection's.
///
/// Follows get_unique_tuple and nf_nat_l4proto_unique_tuple (nf_nat_core.c). The port stays if it
/// is allowed and free. Else 128 ports of the range are tried, then 64, 32, 16 and 8 more, each
/// time from another start. If almost all ports are taken, the search can fail although one is
/// free, as in Linux. Linux draws the start at random; here it is the tuple's hash, so that a run
/// is repeatable. Two differences from Linux: a source does not prefer the port that it has in a
/// translation towards another destination (find_appropriate_src), and a connection in TIME_WAIT
/// does not release its port.
std::optional<ConntrackTuple> translate_source(
    const ConntrackTuple& original, const SourceTranslation& translation,
    const std::function<bool(const ConntrackTuple&)>& is_taken);

}  // namespace overlane::node

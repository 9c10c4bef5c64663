#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dataplane/net/address.h"

namespace overlane::node {

// Keys of connection tracking: the tuple of one direction (struct nf_conntrack_tuple), its
// inverse and its hash, and the choice of a source port by NAT (nf_nat_core.c). The table of
// connections is runtime/conntrack.h.

/// Ports, or ICMP identifiers, `first` to `last`.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;

  constexpr bool contains(std::uint16_t port) const { return first <= port && port <= last; }
  constexpr std::uint32_t size() const { return std::uint32_t{last} - first + 1; }
  auto operator<=>(const PortRange&) const = default;
};

/// One direction of a connection as its packets show it (struct nf_conntrack_tuple). Protocols that
/// connection tracking knows no ports of have 0 in both. ICMP echo, and what else is asked and
/// answered with an identifier, has the identifier as source port and type · 256 + code as
/// destination port.
struct ConntrackTuple {
  IpAddress source;
  IpAddress destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;

  auto operator<=>(const ConntrackTuple&) const = default;
};

/// IP protocol numbers (IANA) that connection tracking tells apart.
inline constexpr std::uint8_t kTrackedIcmp = 1;
inline constexpr std::uint8_t kTrackedTcp = 6;
inline constexpr std::uint8_t kTrackedUdp = 17;
inline constexpr std::uint8_t kTrackedIcmpv6 = 58;

/// The tuple of an ICMP or ICMPv6 message with an identifier.
ConntrackTuple icmp_tuple(IpAddress source, IpAddress destination, std::uint8_t type,
                          std::uint8_t code, std::uint16_t identifier);

/// What the answer to a packet of this tuple shows; nothing when there is none (an ICMP message
/// that is no query and no answer).
std::optional<ConntrackTuple> inverse(const ConntrackTuple& tuple);

/// Whether a packet may open a connection: all but ICMP messages that are no queries (valid_new of
/// nf_conntrack_proto_icmp.c and nf_conntrack_proto_icmpv6.c).
bool opens_connection(const ConntrackTuple& tuple);

/// Neighbour and multicast listener discovery is left untracked (icmpv6_error of
/// nf_conntrack_proto_icmpv6.c, types 130 to 137 and 143).
bool is_untracked_icmpv6(const ConntrackTuple& tuple);

/// Mixes all fields, the same on every platform; `seed` gives independent hashes.
std::uint64_t hash(const ConntrackTuple& tuple, std::uint64_t seed = 0);

struct ConntrackTupleHash {
  std::size_t operator()(const ConntrackTuple& tuple) const { return hash(tuple); }
};

/// The tuple as `conntrack -L` prints it: "src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2".
std::string to_string(const ConntrackTuple& tuple);

/// What a packet's source becomes.
struct SourceTranslation {
  IpAddress source;
  std::optional<PortRange> ports;
  bool random_fully = false;  ///< Never keep the port (--random-fully, as Felix asks for).

  auto operator<=>(const SourceTranslation&) const = default;
};

/// The tuple that the network sees instead of `original`; nothing when no port is free. `is_taken`
/// says whether a connection of this tuple could not be told from another one.
///
/// Follows get_unique_tuple and nf_nat_l4proto_unique_tuple (nf_nat_core.c): the port stays when it
/// may and is free. Else 128 ports of the range are tried, then 64, 32, 16 and 8 more, each from
/// another place: with almost all ports taken Linux, too, finds none although one is free. Where
/// Linux draws the place at random, here the tuple's hash gives it, so that a run repeats. Two
/// differences: a source with a translation towards another destination does not get the same port
/// by preference (find_appropriate_src), and a connection in TIME_WAIT does not yield its port.
std::optional<ConntrackTuple> translate_source(
    const ConntrackTuple& original, const SourceTranslation& translation,
    const std::function<bool(const ConntrackTuple&)>& is_taken);

}  // namespace overlane::node

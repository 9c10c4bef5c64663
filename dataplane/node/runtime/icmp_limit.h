#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"

namespace overlane::node {

// ICMP errors of a node: what an error says (IcmpError), and how many a node may send
// (net.ipv4.icmp_ratelimit and the common bucket).

/// An ICMP error (RFC 792, RFC 1191, RFC 4443) and the flow of the packet it quotes.
struct IcmpError {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint32_t next_hop_mtu =
      0;                      ///< MTU of "fragmentation needed" (3/4) and "packet too big" (2/0).
  std::uint32_t pointer = 0;  ///< Octet at fault of an ICMPv6 parameter problem (4/x).
  IpAddress quoted_source;
  IpAddress quoted_destination;
  std::uint8_t quoted_protocol = 0;
  std::uint16_t quoted_source_port = 0;  ///< The identifier, if the quote is an ICMP message …
  std::uint16_t quoted_destination_port = 0;  ///< … and type · 256 + code.

  auto operator<=>(const IcmpError&) const = default;
};

/// Whether the error says that a packet was too large for a link.
constexpr bool is_packet_too_big(const IcmpError& error, Family family) {
  return family == Family::Ipv4 ? error.type == 3 && error.code == 4 : error.type == 2;
}

/// ICMPv6's parameter problem, whose pointer stands where "packet too big" has the MTU.
constexpr bool is_parameter_problem(const IcmpError& error, Family family) {
  return family == Family::Ipv6 && error.type == 4;
}

/// net.ipv4.icmp_ratelimit and net.ipv6.icmp.ratelimit: one message per destination and second …
inline constexpr Picos kIcmpRateLimit = milliseconds(1000);
/// … after a burst of this many (XRLIM_BURST_FACTOR, net/ipv4/inetpeer.c).
inline constexpr std::int64_t kIcmpBurst = 6;
/// net.ipv4.route.error_cost and error_burst: what an error about a route costs in IPv4 before it
/// is sent, and how much of the same allowance may have been saved for that (ip_error,
/// net/ipv4/route.c).
inline constexpr Picos kRouteErrorCost = milliseconds(1000);
inline constexpr Picos kRouteErrorBurst = milliseconds(5000);
/// net.ipv4.icmp_msgs_per_sec and net.ipv4.icmp_msgs_burst: to all destinations together, in both
/// families.
inline constexpr std::int64_t kIcmpMessagesPerSecond = 1000;
inline constexpr std::int64_t kIcmpMessagesBurst = 50;
/// The common bucket is filled in steps of at least HZ/50 (icmp_global_allow).
inline constexpr Picos kIcmpRefill = milliseconds(20);

/// Whether a message of this type and code counts against the limits at all. In IPv4 destination
/// unreachable, source quench, time exceeded and parameter problem do (icmp_ratemask 6168), but for
/// "fragmentation needed"; in IPv6 all errors but Packet Too Big (net.ipv6.icmp.ratemask
/// 0-1,3-127). So path MTU discovery is never slowed down.
bool is_icmp_limited(bool ipv4, std::uint8_t type, std::uint8_t code);

/// How many ICMP messages a node may send (net/ipv4/icmp.c, net/ipv6/icmp.c). Linux spends the
/// common bucket before it asks for the destination's, so messages to one destination that are held
/// back still cost those to others (Linux 6.1; 6.12 asks the other way around). Linux takes 0, 1 or
/// 2 at random from the common bucket, here it is always the mean, 1.
class IcmpLimit {
 public:
  /// Whether the node may send this now; if so it counts as sent. `route_length` is the prefix
  /// length of the route to `destination`: in IPv6 a route shorter by 32, 64, 96 or 128 than a host
  /// route allows 2, 4, 8 or 16 times as much.
  bool allow(std::uint8_t type, std::uint8_t code, IpAddress destination, std::uint8_t route_length,
             Picos now);

  /// Asked before "no route", "unreachable" and "prohibit" are: they spend from the destination's
  /// allowance twice, so that two are sent at once and then one every two seconds. IPv6 does not.
  bool allow_route_error(IpAddress destination, Picos now);

  /// How many destinations are remembered. The common bucket bounds it: 6,050 at most.
  std::size_t destinations() const { return destinations_.size(); }
  bool operator==(const IcmpLimit&) const = default;

 private:
  struct Bucket {
    Picos tokens;
    Picos last;
    bool operator==(const Bucket&) const = default;
  };
  bool take_common(Picos now);
  bool take(IpAddress destination, Picos cost, Picos most, Picos now);
  void retire(Picos now);

  std::int64_t credit_ = kIcmpMessagesBurst;
  Picos refilled_;
  std::map<IpAddress, Bucket> destinations_;
  std::set<std::pair<Picos, IpAddress>> by_last_;  ///< One for each of `destinations_`.
};

}  // namespace overlane::node

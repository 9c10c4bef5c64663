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

// ICMP errors of a node: the content of an error (IcmpError), and the limit on the errors that a
// node may send (net.ipv4.icmp_ratelimit and the common bucket).

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
  std::uint16_t quoted_source_port = 0;  ///< The identifier, if the quote is an ICMP message.
  /// Type * 256 + code, if the quote is an ICMP message.
  std::uint16_t quoted_destination_port = 0;

  auto operator<=>(const IcmpError&) const = default;
};

/// Returns whether the error reports a packet that was too large for a link.
constexpr bool is_packet_too_big(const IcmpError& error, Family family) {
  return family == Family::Ipv4 ? error.type == 3 && error.code == 4 : error.type == 2;
}

/// Returns whether the error is ICMPv6's parameter problem. It has a pointer in place of the MTU.
constexpr bool is_parameter_problem(const IcmpError& error, Family family) {
  return family == Family::Ipv6 && error.type == 4;
}

/// Interval between two messages to one destination (net.ipv4.icmp_ratelimit and
/// net.ipv6.icmp.ratelimit).
inline constexpr Picos kIcmpRateLimit = milliseconds(1000);
/// Messages of a burst to one destination (XRLIM_BURST_FACTOR, net/ipv4/inetpeer.c).
inline constexpr std::int64_t kIcmpBurst = 6;
/// Cost of an IPv4 error about a route, charged before it is sent, and the maximum saved allowance
/// for it (net.ipv4.route.error_cost and error_burst; ip_error, net/ipv4/route.c). It is charged to
/// the same allowance as the message.
inline constexpr Picos kRouteErrorCost = milliseconds(1000);
inline constexpr Picos kRouteErrorBurst = milliseconds(5000);
/// Rate and burst of messages to all destinations in both families (net.ipv4.icmp_msgs_per_sec and
/// net.ipv4.icmp_msgs_burst).
inline constexpr std::int64_t kIcmpMessagesPerSecond = 1000;
inline constexpr std::int64_t kIcmpMessagesBurst = 50;
/// The common bucket is filled in steps of at least HZ/50 (icmp_global_allow).
inline constexpr Picos kIcmpRefill = milliseconds(20);

/// Returns whether the limits apply to a message of this type and code. In IPv4 they apply to
/// destination unreachable, source quench, time exceeded and parameter problem (icmp_ratemask
/// 6168), except for "fragmentation needed". In IPv6 they apply to all errors except Packet Too Big
/// (net.ipv6.icmp.ratemask 0-1,3-127). So path MTU discovery is never slowed down.
bool is_icmp_limited(bool ipv4, std::uint8_t type, std::uint8_t code);

/// The allowances of a node's ICMP messages (net/ipv4/icmp.c, net/ipv6/icmp.c). The common bucket
/// is charged before the destination's bucket, as in Linux 6.1. So suppressed messages to one
/// destination still use the allowance of others (6.12 has the opposite order). Linux charges 0, 1
/// or 2 at random to the common bucket; this model charges the mean, 1.
class IcmpLimit {
 public:
  /// Returns whether the node may send this message now, and charges it. `route_length` is the
  /// prefix length of the route to `destination`: in IPv6 a route that is 32, 64, 96 or 128 bits
  /// shorter than a host route allows 2, 4, 8 or 16 times as many messages.
  bool allow(std::uint8_t type, std::uint8_t code, IpAddress destination, std::uint8_t route_length,
             Picos now);

  /// Returns whether the node may send "no route", "unreachable" or "prohibit", and charges
  /// kRouteErrorCost. Call it before allow(), so that these errors cost twice: two are sent at
  /// once, and then one every two seconds. Always true in IPv6.
  bool allow_route_error(IpAddress destination, Picos now);

  /// Number of remembered destinations. The common bucket bounds it to 6,050.
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

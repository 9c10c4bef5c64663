#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/ip_in_ipv4.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ip_packet.h"
#include "results/finding/finding.h"

namespace overlane::sit {

// SIT: IPv6 in IPv4 (RFC 4213), the `sit` devices of Linux (net/ipv6/sit.c). Pusher puts the
// outer header on, pop() takes it off in place. A Pusher is constant after construction;
// neither allocates.

/// An IPv6-in-IPv4 tunnel (RFC 4213, section 3), as Linux' `sit` devices make it (net/ipv6/sit.c).
struct Tunnel {
  Ipv4Address source;
  Ipv4Address destination;
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

/// Takes an outer IPv4 packet apart in place. Refused are what encap::read_outer_ipv4() and
/// encap::take_inner() refuse, and with Drop::UnsupportedProtocol another protocol than 41. Whether
/// a tunnel of these addresses exists is the caller's business (ipip6_rcv, net/ipv6/sit.c).
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  return encap::pop_ipv4<wire::kIpv6InIp, Family::Ipv6>(packet);
}

/// Wraps packets for one tunnel.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return outer_.size(); }

  /// Writes the outer header in front of the IPv6 packet that fills `buffer` from `room` on, and
  /// returns the outer packet. Drop::Malformed when there is no such packet, or it is too long once
  /// wrapped.
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push(
      std::span<std::uint8_t> buffer, std::size_t room, const encap::PerPacket& packet) const {
    return encap::push_ipv4<Family::Ipv6>(outer_, buffer, room, packet);
  }

  /// Wraps a packet that encap::is_whole() accepts, with headroom() bytes in front.
  [[gnu::always_inline]] std::span<std::uint8_t> wrap(std::span<std::uint8_t> packet,
                                                      const encap::PerPacket& per_packet) const {
    return encap::wrap_in_ipv4<Family::Ipv6>(outer_, packet, per_packet);
  }

 private:
  encap::OuterIpv4 outer_;
};

}  // namespace overlane::sit

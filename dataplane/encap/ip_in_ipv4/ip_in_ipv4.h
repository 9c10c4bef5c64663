#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ip.h"
#include "results/finding/finding.h"

// IP in IPv4: one IPv4 header in front of a packet of one family. Linux has two such devices:
//   overlane::ipip   IPv4 in IPv4 (RFC 2003), net/ipv4/ipip.c, IP protocol 4
//   overlane::sit    IPv6 in IPv4 (RFC 4213, section 3), net/ipv6/sit.c, IP protocol 41
// Pusher writes the outer header; pop() removes it in place. A Pusher is constant after
// construction. Neither allocates.

namespace overlane::encap {

/// An IP-in-IPv4 tunnel. The far end of an ipip tunnel is the next hop of the route on tunl0, so a
/// node has one tunnel per peer.
struct IpInIpv4Tunnel {
  Ipv4Address source;
  Ipv4Address destination;
  std::optional<OuterRules> rules;  ///< If empty, outer_rules() apply.
};

/// Encapsulates packets of family kInner for one tunnel.
template <Encapsulation kEncapsulation, std::uint8_t kProtocol, Family kInner>
class IpInIpv4Pusher {
 public:
  explicit IpInIpv4Pusher(const IpInIpv4Tunnel& tunnel)
      : outer_(tunnel.rules.value_or(outer_rules(kEncapsulation)), tunnel.source,
               tunnel.destination, kProtocol) {}

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return outer_.size(); }

  /// Writes the outer header in front of the packet that fills `buffer` from `room` on, and returns
  /// the outer packet. Drop::Malformed if it is no whole packet of family kInner, or the outer
  /// packet would be too long.
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push(
      std::span<std::uint8_t> buffer, std::size_t room, const PerPacket& per_packet) const {
    assert(room >= outer_.size() && room <= buffer.size());
    const std::span<std::uint8_t> packet = buffer.subspan(room);
    if (!is_whole<kInner>(packet, outer_.largest_payload())) return fail(Drop::Malformed);
    return wrap(packet, per_packet);
  }

  /// Encapsulates without checks. Requires a packet that is_whole() accepts, with headroom() bytes
  /// in front of it.
  [[gnu::always_inline]] std::span<std::uint8_t> wrap(std::span<std::uint8_t> packet,
                                                      const PerPacket& per_packet) const {
    std::uint8_t* to = packet.data() - outer_.size();
    outer_.write<kInner>(to, static_cast<std::uint32_t>(packet.size()), packet.data(), per_packet);
    return {to, packet.data() + packet.size()};
  }

 private:
  OuterIpv4 outer_;
};

/// The slow path of pop_ipv4(): decodes any packet.
Parts parts_of_ipv4(std::span<std::uint8_t> packet, std::uint8_t protocol, Family family);

/// Removes an outer IPv4 header in place. Refuses what read_outer_ipv4() and take_inner() refuse,
/// and another protocol with Drop::UnsupportedProtocol. The caller checks that a tunnel of these
/// addresses exists (ipip_tunnel_rcv, ipip6_rcv).
template <std::uint8_t kProtocol, Family kFamily>
[[gnu::always_inline]] inline Result<Popped, Drop> pop_ipv4(std::span<std::uint8_t> packet) {
  using Eligible = FastPathEligible<Family::Ipv4, kProtocol, wire::kIpv4Bytes>;
  Parts parts = refuse(Drop::Malformed);
  if (Eligible::is_outer(packet)) parts = Eligible::template parts<kFamily>(packet);
  if (parts.refused) parts = parts_of_ipv4(packet, kProtocol, kFamily);
  return popped(packet, parts);
}

}  // namespace overlane::encap

namespace overlane::ipip {

using Tunnel = encap::IpInIpv4Tunnel;
using Pusher = encap::IpInIpv4Pusher<Encapsulation::Ipip, wire::kIpv4InIp, Family::Ipv4>;

[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  return encap::pop_ipv4<wire::kIpv4InIp, Family::Ipv4>(packet);
}

}  // namespace overlane::ipip

namespace overlane::sit {

using Tunnel = encap::IpInIpv4Tunnel;
using Pusher = encap::IpInIpv4Pusher<Encapsulation::Sit, wire::kIpv6InIp, Family::Ipv6>;

[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  return encap::pop_ipv4<wire::kIpv6InIp, Family::Ipv6>(packet);
}

}  // namespace overlane::sit

#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/ip_in_ipv4.h"
#include "dataplane/encap/ipip/ipip.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::ipip {

/// Wraps packets for one tunnel.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return outer_.size(); }

  /// Writes the outer header in front of the IPv4 packet that fills `buffer` from `room` on, and
  /// returns the outer packet. Drop::Malformed when there is no such packet, or it is too long once
  /// wrapped.
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push(
      std::span<std::uint8_t> buffer, std::size_t room, const encap::PerPacket& packet) const {
    return encap::push_ipv4<Family::Ipv4>(outer_, buffer, room, packet);
  }

  /// The same for a packet that encap::is_whole() accepts, with headroom() bytes in front.
  [[gnu::always_inline]] std::span<std::uint8_t> wrap(std::span<std::uint8_t> packet,
                                                      const encap::PerPacket& per_packet) const {
    return encap::wrap_in_ipv4<Family::Ipv4>(outer_, packet, per_packet);
  }

 private:
  encap::OuterIpv4 outer_;
};

}  // namespace overlane::ipip

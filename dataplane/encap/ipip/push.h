#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/ip_in_ipv4.h"
#include "dataplane/encap/ipip/ipip.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

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
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             std::uint16_t identification) const {
    return encap::push_ipv4(outer_, Encapsulation::Ipip, Family::Ipv4, buffer, room,
                            identification);
  }

 private:
  encap::OuterHeader outer_;
};

}  // namespace overlane::ipip

#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/example/fou/fou.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::fou {

/// Wraps packets for one tunnel.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return udp_.size(); }

  /// Writes the outer headers in front of the IPv4 packet that fills `buffer` from `room` on, and
  /// returns the outer packet. Drop::Malformed when there is no such packet, or it is too long once
  /// wrapped.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             std::uint16_t identification) const;

 private:
  encap::UdpTunnel udp_;
};

}  // namespace overlane::fou

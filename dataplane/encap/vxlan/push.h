#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::vxlan {

/// Wraps packets for one tunnel.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return udp_.size() + kHeaderBytes + kEthernetBytes; }

  /// Writes all headers in front of the IPv4 or IPv6 packet that fills `buffer` from `room` on, and
  /// returns the outer packet. Drop::Malformed when there is no such packet, or it is too long once
  /// wrapped.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             std::uint16_t identification) const;

 private:
  /// VXLAN and Ethernet, up to the EtherType.
  static constexpr std::size_t kFixedBytes = kHeaderBytes + 12;

  encap::UdpTunnel udp_;
  std::array<std::uint8_t, kFixedBytes> fixed_{};
  std::uint32_t fixed_sum_ = 0;
};

}  // namespace overlane::vxlan

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::geneve {

/// Wraps packets for one tunnel.
class Pusher {
 public:
  /// Copies the options.
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return udp_.size() + middle_bytes_; }

  /// Writes all headers in front of the IPv4 or IPv6 packet that fills `buffer` from `room` on, and
  /// returns the outer packet. Drop::Malformed when there is no such packet, or it is too long once
  /// wrapped.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             std::uint16_t identification) const;

 private:
  encap::UdpTunnel udp_;
  bool has_ethernet_;
  std::uint32_t middle_bytes_;
  std::uint32_t fixed_sum_;
  /// Geneve, options and Ethernet; the type of what is inside is left 0.
  std::array<std::uint8_t, kHeaderBytes + kMaxOptionBytes + kEthernetBytes> fixed_{};
};

}  // namespace overlane::geneve

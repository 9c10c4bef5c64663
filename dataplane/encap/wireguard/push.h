#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/encap/wireguard/wireguard.h"

namespace overlane::wireguard {

/// Wraps IPv4 and IPv6 packets for one session. Unlike other tunnels it also writes behind them.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet; behind it are kTailBytes.
  std::uint32_t headroom() const {
    return outer_.size() + static_cast<std::uint32_t>(header_.size());
  }

  /// Writes headers in front of the packet that begins at `room` in `buffer` and ends kTailBytes
  /// before its end, padding and tag behind it, and returns the outer packet. Drop::Malformed when
  /// there is no such packet, or it is too long once wrapped.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             const encap::PerPacket& per_packet) const;

 private:
  template <Family kInner>
  Result<std::span<std::uint8_t>, Drop> push_whole(std::span<std::uint8_t> packet,
                                                   const encap::PerPacket& per_packet) const;

  encap::OuterUdp outer_;
  std::array<std::uint8_t, wire::kWireguardHeaderBytes> header_{};
  std::uint32_t header_sum_ = 0;  ///< In the order of memory.
  std::uint32_t mtu_ = 0;
};

}  // namespace overlane::wireguard

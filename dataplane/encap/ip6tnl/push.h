#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::ip6tnl {

/// Wraps packets for one tunnel.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet; it may use kLimitBytes less.
  std::uint32_t headroom() const { return outer_.size() + kLimitBytes; }

  /// Writes the outer headers in front of the packet that fills `buffer` from `room` on, and
  /// returns the outer packet. A limit that the inner packet carries itself counts down, even where
  /// the device has none (ipxip6_tnl_xmit). Drop::Malformed when there is no such packet, or it is
  /// too long once wrapped; Drop::TunnelLoop when its limit is used up, or it comes from the far
  /// end (ip6_tnl_addr_conflict). `identification` is there for the other encapsulations' sake.
  Result<std::span<std::uint8_t>, Drop> push(std::span<std::uint8_t> buffer, std::size_t room,
                                             std::uint16_t identification) const;

 private:
  std::uint32_t flow_label(std::span<const std::uint8_t> packet, Family family) const;

  encap::OuterHeader outer_;
  IpAddress far_end_;
  std::optional<std::uint8_t> limit_;
};

}  // namespace overlane::ip6tnl

#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>

#include "dataplane/encap/inner_ethernet.h"
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
                                             std::uint16_t identification) const {
    assert(room >= headroom() && room <= buffer.size());
    constexpr std::uint32_t kMiddleBytes = kHeaderBytes + kEthernetBytes;
    const std::span<std::uint8_t> packet = buffer.subspan(room);
    const auto inner = encap::read_inner(packet);
    const bool whole = inner && inner->length == packet.size();
    if (!whole || !udp_.fits(kMiddleBytes + inner->length)) return fail(Drop::Malformed);
    const std::uint16_t type = encap::ether_type_of(inner->family);
    std::uint8_t* middle = packet.data() - kMiddleBytes;
    std::memcpy(middle, fixed_.data(), kFixedBytes);
    store_be16(middle + kFixedBytes, type);
    udp_.write(packet, *inner, {.bytes = kMiddleBytes, .sum = fixed_sum_ + type}, identification);
    return buffer.subspan(room - headroom());
  }

 private:
  /// VXLAN and Ethernet, up to the EtherType.
  static constexpr std::size_t kFixedBytes = kHeaderBytes + 12;

  encap::UdpTunnel udp_;
  std::array<std::uint8_t, kFixedBytes> fixed_{};
  std::uint32_t fixed_sum_ = 0;
};

}  // namespace overlane::vxlan

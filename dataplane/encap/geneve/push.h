#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/inner_ethernet.h"
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
                                             std::uint16_t identification) const {
    assert(room >= headroom() && room <= buffer.size());
    const std::span<std::uint8_t> packet = buffer.subspan(room);
    const auto inner = encap::read_inner(packet);
    const bool whole = inner && inner->length == packet.size();
    if (!whole || !udp_.fits(middle_bytes_ + inner->length)) return fail(Drop::Malformed);
    const std::uint16_t type = encap::ether_type_of(inner->family);
    std::uint8_t* middle = packet.data() - middle_bytes_;
    constexpr std::uint32_t kWithoutOptions = kHeaderBytes + kEthernetBytes;
    // A size that is known makes the usual copy a few instructions.
    if (middle_bytes_ == kWithoutOptions) {
      std::memcpy(middle, fixed_.data(), kWithoutOptions);
    } else {
      std::memcpy(middle, fixed_.data(), middle_bytes_);
    }
    store_be16(has_ethernet_ ? packet.data() - 2 : middle + 2, type);
    udp_.write(packet, *inner, {.bytes = middle_bytes_, .sum = fixed_sum_ + type}, identification);
    return buffer.subspan(room - headroom());
  }

 private:
  encap::UdpTunnel udp_;
  bool has_ethernet_;
  std::uint32_t middle_bytes_;
  std::uint32_t fixed_sum_;
  /// Geneve, options and Ethernet; the type of what is inside is left 0.
  std::array<std::uint8_t, kHeaderBytes + kMaxOptionBytes + kEthernetBytes> fixed_{};
};

}  // namespace overlane::geneve

#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/ip6tnl/ip6tnl.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/ipv6_extension.h"
#include "results/finding/result.h"

namespace overlane::ip6tnl {

/// The limit that an IPv6 packet brings along (ip6_tnl_parse_tlv_enc_lim).
std::optional<std::uint8_t> limit_in(std::span<const std::uint8_t> packet);

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
  /// end (ip6_tnl_addr_conflict).
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push(
      std::span<std::uint8_t> buffer, std::size_t room, const encap::PerPacket& per_packet) const {
    assert(room >= headroom() && room <= buffer.size());
    return encap::is_ipv6(buffer.subspan(room)) ? push_ipv6(buffer, room, per_packet)
                                                : push_ipv4(buffer, room, per_packet);
  }

 private:
  using Pushed = Result<std::span<std::uint8_t>, Drop>;
  static constexpr int kNoLimit = -1;

  [[gnu::always_inline]] Pushed push_ipv4(std::span<std::uint8_t> buffer, std::size_t room,
                                          const encap::PerPacket& per_packet) const {
    encap::InnerPacket inner;
    if (!encap::read_whole<Family::Ipv4>(buffer.subspan(room), inner)) return fail(Drop::Malformed);
    return write(buffer, wire::kIpv4InIp, limit_, inner, per_packet);
  }

  [[gnu::always_inline]] Pushed push_ipv6(std::span<std::uint8_t> buffer, std::size_t room,
                                          const encap::PerPacket& per_packet) const {
    const std::span<std::uint8_t> packet = buffer.subspan(room);
    encap::InnerPacket inner;
    if (!encap::read_whole<Family::Ipv6>(packet, inner)) return fail(Drop::Malformed);
    const std::uint8_t* at = packet.data();
    if (load_be64(at + 8) == far_end_.high && load_be64(at + 16) == far_end_.low) {
      return fail(Drop::TunnelLoop);
    }
    int limit = limit_;
    if (at[6] != wire::kUdp && at[6] != wire::kTcp) {
      const auto carried = limit_in(packet);
      if (carried == 0) return fail(Drop::TunnelLoop);
      if (carried) limit = *carried - 1;
    }
    return write(buffer, wire::kIpv6InIp, limit, inner, per_packet);
  }

  [[gnu::always_inline]] Pushed write(std::span<std::uint8_t> buffer, std::uint8_t protocol,
                                      int limit, const encap::InnerPacket& inner,
                                      const encap::PerPacket& per_packet) const {
    const std::uint32_t payload = inner.length + (limit == kNoLimit ? 0 : kLimitBytes);
    if (payload > outer_.largest_payload()) return fail(Drop::Malformed);
    const std::span<std::uint8_t> outer = buffer.last(payload + outer_.size());
    if (limit != kNoLimit) {
      constexpr std::uint64_t kOption = std::uint64_t{wire::kTunnelEncapsulationLimit} << 40 |
                                        std::uint64_t{1} << 32 | wire::kPadN << 16 | 1 << 8;
      store_be64(outer.data() + outer_.size(),
                 std::uint64_t{protocol} << 56 | kOption | static_cast<std::uint32_t>(limit) << 24);
      protocol = wire::kDestinationOptions;
    }
    outer_.write(outer.data(), protocol, payload, inner, per_packet);
    return outer;
  }

  encap::OuterIpv6 outer_;
  IpAddress far_end_;
  int limit_;
};

}  // namespace overlane::ip6tnl

#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ip.h"
#include "results/finding/finding.h"

namespace overlane::ip6tnl {

// ip6tnl: IPv4 or IPv6 in IPv6 (RFC 2473), the `ip6tnl` devices of Linux
// (net/ipv6/ip6_tunnel.c), with their encapsulation limit in a destination option. Pusher writes
// the outer headers, pop() removes them in place. A Pusher is constant after construction.

/// IPV6_DEFAULT_TNL_ENCAP_LIMIT (include/uapi/linux/ip6_tunnel.h).
inline constexpr std::uint8_t kDefaultLimit = 4;

/// Length of the destination options header that carries the limit (RFC 2473, section 4.1.1).
inline constexpr std::uint32_t kLimitBytes = 8;

/// An IPv4- or IPv6-in-IPv6 tunnel (RFC 2473), as an `ip6tnl` device of Linux in mode `any` builds
/// it (net/ipv6/ip6_tunnel.c).
struct Tunnel {
  IpAddress source;       ///< IPv6.
  IpAddress destination;  ///< IPv6.
  /// `encaplimit`: how many more tunnels the packet may enter; empty for `encaplimit none`.
  std::optional<std::uint8_t> limit = kDefaultLimit;
  std::optional<encap::OuterRules> rules;  ///< If empty, encap::outer_rules() apply.
};

/// The slow path of pop(): checks any packet and names the reason for a drop.
encap::Parts parts_of(std::span<std::uint8_t> packet);

/// The fast path of pop(): the parts of an eligible packet whose only extension header is the one
/// that Linux writes, with an encapsulation limit of any value and PadN.
[[gnu::always_inline]] inline encap::Parts fast_parts(std::span<const std::uint8_t> packet) {
  constexpr std::uint32_t kHeaders = wire::kIpv6Bytes + kLimitBytes;
  constexpr encap::Bits kLimit{0x00ffffff00ffffff, 0x040100010100};
  using Eligible = encap::FastPathEligible<Family::Ipv6, wire::kDestinationOptions, kHeaders>;
  if (!Eligible::is_outer(packet) || !kLimit.are_at(packet.data() + wire::kIpv6Bytes))
    return encap::refuse(Drop::Malformed);
  const std::uint8_t protocol = packet[wire::kIpv6Bytes];
  if (protocol == wire::kIpv4InIp) return Eligible::parts<Family::Ipv4>(packet);
  if (protocol == wire::kIpv6InIp) return Eligible::parts<Family::Ipv6>(packet);
  return encap::refuse(Drop::Malformed);
}

/// Decapsulates an outer IPv6 packet in place. An encapsulation limit is ignored on arrival.
/// Refuses what encap::read_outer_ipv6() and encap::take_inner() refuse, and protocols other than 4
/// and 41 with Drop::UnsupportedProtocol. The caller checks that a tunnel of these addresses exists
/// (ipxip6_rcv, net/ipv6/ip6_tunnel.c).
[[gnu::always_inline]] inline Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  encap::Parts parts = fast_parts(packet);
  if (parts.refused) parts = parts_of(packet);
  return encap::popped(packet, parts);
}

/// The encapsulation limit in the destination options of an IPv6 packet, if there is one
/// (ip6_tnl_parse_tlv_enc_lim).
std::optional<std::uint8_t> limit_in(std::span<const std::uint8_t> packet);

/// Encapsulates IPv4 and IPv6 packets for one tunnel.
class Pusher {
 public:
  explicit Pusher(const Tunnel& tunnel);

  /// Room that push() needs in front of a packet; it may use kLimitBytes less.
  std::uint32_t headroom() const { return outer_.size() + kLimitBytes; }

  /// Writes the outer headers in front of the packet that fills `buffer` from `room` on, and
  /// returns the outer packet. If the inner packet carries a limit, the outer one gets that limit
  /// minus one, even if the device has none (ipxip6_tnl_xmit). Drop::Malformed if it is no whole
  /// packet, or the outer packet would be too long; Drop::TunnelLoop if its limit is 0, or its
  /// source is the far end of the tunnel (ip6_tnl_addr_conflict).
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push(
      std::span<std::uint8_t> buffer, std::size_t room, const encap::PerPacket& per_packet) const {
    assert(room >= headroom() && room <= buffer.size());
    const std::span<std::uint8_t> packet = buffer.subspan(room);
    return encap::family_of(packet) == Family::Ipv4 ? push_ipv4(packet, per_packet)
                                                    : push_ipv6(packet, per_packet);
  }

  /// Encapsulates without checks. Requires a packet that encap::is_whole() accepts, with headroom()
  /// bytes in front of it: IPv4, or IPv6 with TCP or UDP and a source other than the far end.
  template <Family kInner>
  [[gnu::always_inline]] std::span<std::uint8_t> wrap(std::span<std::uint8_t> packet,
                                                      const encap::PerPacket& per_packet) const {
    return write<kInner>(packet, option_, per_packet);
  }

 private:
  using Pushed = Result<std::span<std::uint8_t>, Drop>;
  /// The eight bytes of the destination options header with the limit, as a big-endian number whose
  /// next header is 0; 0 if no such header is sent.
  using LimitOption = std::uint64_t;

  static constexpr LimitOption option(std::uint32_t limit) {
    return std::uint64_t{wire::kTunnelEncapsulationLimit} << 40 | std::uint64_t{1} << 32 |
           limit << 24 | wire::kPadN << 16 | 1 << 8;
  }
  /// Largest inner packet in bytes behind `option`.
  static constexpr std::uint32_t largest(LimitOption option) {
    return encap::OuterIpv6::largest_payload() - (option == 0 ? 0 : kLimitBytes);
  }

  [[gnu::always_inline]] Pushed push_ipv4(std::span<std::uint8_t> packet,
                                          const encap::PerPacket& per_packet) const {
    if (!encap::is_whole<Family::Ipv4>(packet, largest_)) return fail(Drop::Malformed);
    return write<Family::Ipv4>(packet, option_, per_packet);
  }

  [[gnu::always_inline]] Pushed push_ipv6(std::span<std::uint8_t> packet,
                                          const encap::PerPacket& per_packet) const {
    if (!encap::is_whole<Family::Ipv6>(packet, largest_)) return fail(Drop::Malformed);
    const std::uint8_t* at = packet.data();
    if (std::memcmp(at + 8, far_end_.data(), far_end_.size()) == 0) return fail(Drop::TunnelLoop);
    if (at[6] == wire::kUdp || at[6] == wire::kTcp) {
      return write<Family::Ipv6>(packet, option_, per_packet);
    }
    const auto carried = limit_in(packet);
    if (carried == 0) return fail(Drop::TunnelLoop);
    const LimitOption left = carried ? option(*carried - 1u) : option_;
    if (packet.size() > largest(left)) return fail(Drop::Malformed);
    return write<Family::Ipv6>(packet, left, per_packet);
  }

  /// Writes the outer headers in front of `packet`. Requires headroom() bytes there.
  template <Family kInner>
  [[gnu::always_inline]] std::span<std::uint8_t> write(std::span<std::uint8_t> packet,
                                                       LimitOption option,
                                                       const encap::PerPacket& per_packet) const {
    constexpr std::uint8_t kProtocol = kInner == Family::Ipv4 ? wire::kIpv4InIp : wire::kIpv6InIp;
    const auto length = static_cast<std::uint32_t>(packet.size());
    const std::uint8_t* inner = packet.data();
    if (option == 0) {
      std::uint8_t* to = packet.data() - encap::OuterIpv6::size();
      outer_.write<kInner>(to, kProtocol, length, inner, per_packet);
      return {to, packet.data() + length};
    }
    std::uint8_t* options = packet.data() - kLimitBytes;
    store_be64(options, option | std::uint64_t{kProtocol} << 56);
    std::uint8_t* to = options - encap::OuterIpv6::size();
    outer_.write<kInner>(to, wire::kDestinationOptions, length + kLimitBytes, inner, per_packet);
    return {to, packet.data() + length};
  }

  encap::OuterIpv6 outer_;
  std::array<std::uint8_t, 16> far_end_{};
  LimitOption option_;
  std::uint32_t largest_;
};

}  // namespace overlane::ip6tnl

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {

// Recognises packets that may have an adjacency: sound, whole, without options or extension
// headers. A few comparisons at fixed offsets decide; all unusual packets take the full path.
// Everything is inlined into the loop of burst.h.

/// A small set of UDP ports. The check is fast for ports outside the set.
class PortSet {
 public:
  PortSet() = default;
  explicit PortSet(std::vector<std::uint16_t> ports) : ports_(std::move(ports)) {
    for (const std::uint16_t port : ports_)
      mask_ |= std::uint64_t{1} << port % 64;
  }

  bool contains(std::uint16_t port) const {
    return (mask_ >> port % 64 & 1u) != 0 && std::ranges::find(ports_, port) != ports_.end();
  }

 private:
  std::uint64_t mask_ = 0;  ///< A bit for each port modulo 64; excludes most other ports.
  std::vector<std::uint16_t> ports_;
};

/// Maximum bytes that a push() needs in front of a packet: IPv6, UDP, Geneve and Ethernet headers.
inline constexpr std::uint32_t kPushRoom = 70;
/// Bytes of room in front of a frame. The new link header replaces the received one.
inline constexpr std::uint32_t kHeadroom = kPushRoom;

/// An Ethernet frame in a buffer that has kHeadroom bytes in front of it.
struct Frame {
  std::uint8_t* at;
  std::uint32_t bytes;
};

/// A packet that adjacencies can forward: sound, whole, without options or extension headers, with
/// a hop limit above 1, and no tunnel packet. IPv6 packets are TCP or UDP.
struct ParsedPacket {
  std::uint8_t* at;
  std::uint32_t bytes;  ///< Length in bytes; 0 if there is no such packet.
};

inline constexpr ParsedPacket kNoPacket{.at = nullptr, .bytes = 0};

/// Mask and expected value of the first eight bytes of an IPv4 header without options, not
/// fragmented.
inline constexpr encap::Bits kPlainIpv4Start{0xff00000000003fff, std::uint64_t{0x45} << 56};

/// Offsets and checks of an IP header for the fast path. `at` is the start of the header.
template <Family kFamily>
struct FastIp;

template <>
struct FastIp<Family::Ipv4> {
  static constexpr std::uint32_t kMin = kMinBytes;
  static constexpr std::uint32_t kBytes = wire::kIpv4Bytes;
  static constexpr std::uint32_t kSource = 12;
  static constexpr std::uint32_t kDestination = 16;
  static constexpr std::uint8_t kInIpv4 = wire::kIpv4InIp;
  static constexpr std::uint16_t kEtherType = wire::kEtherTypeIpv4;

  static std::uint8_t protocol(const std::uint8_t* at) { return at[9]; }
  static std::uint32_t total(const std::uint8_t* at) { return load_be16(at + 2); }

  /// Returns whether the header has no options and is no fragment. Requires kMin bytes.
  [[gnu::always_inline]] static bool is_plain(const std::uint8_t* at) {
    return kPlainIpv4Start.are_at(at);
  }
  [[gnu::always_inline]] static bool is_sound(const std::uint8_t* at) {
    return encap::header_checksum_is_right(at);
  }
  /// Returns whether the packet's header allows to forward it: the hop limit is above 1.
  [[gnu::always_inline]] static bool is_forwardable(const std::uint8_t* at) { return at[8] > 1; }
};

template <>
struct FastIp<Family::Ipv6> {
  static constexpr std::uint32_t kMin = kMinBytesIpv6;
  static constexpr std::uint32_t kBytes = wire::kIpv6Bytes;
  static constexpr std::uint32_t kSource = 8;
  static constexpr std::uint32_t kDestination = 24;
  static constexpr std::uint8_t kInIpv4 = wire::kIpv6InIp;
  static constexpr std::uint16_t kEtherType = wire::kEtherTypeIpv6;

  static std::uint8_t protocol(const std::uint8_t* at) { return at[6]; }
  static std::uint32_t total(const std::uint8_t* at) { return kBytes + load_be16(at + 4); }

  /// Returns whether the version is 6 and no address begins with 64 zero bits. Such addresses
  /// include the IPv4-mapped ones, which no packet may have.
  [[gnu::always_inline]] static bool is_plain(const std::uint8_t* at) {
    return (at[0] & 0xf0) == 0x60 && load<std::uint64_t>(at + 8) != 0 &&
           load<std::uint64_t>(at + 24) != 0;
  }
  [[gnu::always_inline]] static bool is_sound(const std::uint8_t*) { return true; }
  /// Packets with extension headers, fragments and ICMPv6 take the full path.
  [[gnu::always_inline]] static bool is_forwardable(const std::uint8_t* at) {
    return at[7] > 1 && (at[6] == wire::kTcp || at[6] == wire::kUdp);
  }
};

/// Returns whether the packet may be a tunnel packet: by its UDP destination port and, in IPv4, by
/// its protocol. Tunnels over IPv6 are recognised over UDP only, without extension headers.
template <Family kFamily>
[[gnu::always_inline]] inline bool may_be_tunnelled(const std::uint8_t* at,
                                                    const PortSet& tunnel_ports) {
  using Ip = FastIp<kFamily>;
  const std::uint8_t protocol = Ip::protocol(at);
  if (protocol == wire::kUdp) return tunnel_ports.contains(load_be16(at + Ip::kBytes + 2));
  return kFamily == Family::Ipv4 && (protocol == wire::kIpv4InIp || protocol == wire::kIpv6InIp);
}

/// Parses the packet at `at`. Bytes behind the packet's length are padding. Requires `available` >=
/// kMin; returns no packet if it does not fit in `available` bytes.
template <Family kFamily>
[[gnu::always_inline]] inline ParsedPacket fast_parse(std::uint8_t* at, std::uint32_t available) {
  using Ip = FastIp<kFamily>;
  const std::uint32_t total = Ip::total(at);
  const bool usual = Ip::is_plain(at) && total >= Ip::kMin && total <= available &&
                     Ip::is_forwardable(at) && Ip::is_sound(at);
  return {.at = at, .bytes = usual ? total : 0};
}

/// Bytes in front of the inner packet of a tunnel over UDP: outer IP header, UDP, tunnel header and
/// Ethernet.
template <Family kOuter>
inline constexpr std::uint32_t kUdpTunnelBytes =
    FastIp<kOuter>::kBytes + wire::kUdpBytes + vxlan::kHeaderBytes + wire::kEthernetBytes;
static_assert(vxlan::kHeaderBytes == geneve::kHeaderBytes);

/// The headers between the outer IP header and the inner packet.
enum class TunnelFraming : std::uint8_t { Nothing, UdpAndFrame };

/// Returns whether a packet's addresses and port match the tunnel device of `decap_entry`.
template <Family kOuter, Family kInner, TunnelFraming kFraming>
[[gnu::always_inline]] inline bool is_for(const std::uint8_t* outer,
                                          const DecapEntry& decap_entry) {
  constexpr bool kIsUdp = kFraming == TunnelFraming::UdpAndFrame;
  constexpr std::uint8_t kProtocol = kIsUdp ? wire::kUdp : FastIp<kInner>::kInIpv4;
  if (FastIp<kOuter>::protocol(outer) != kProtocol) return false;
  if constexpr (kOuter == Family::Ipv4) {
    if (load<std::uint32_t>(outer + 16) != decap_entry.local) return false;
  } else {
    const std::uint64_t differs = (load<std::uint64_t>(outer + 24) ^ decap_entry.local_ipv6[0]) |
                                  (load<std::uint64_t>(outer + 32) ^ decap_entry.local_ipv6[1]);
    if (differs != 0) return false;
  }
  return !kIsUdp || load<std::uint16_t>(outer + FastIp<kOuter>::kBytes + 2) == decap_entry.udp_port;
}

/// Returns whether the headers between the outer IP header and a sound inner packet match
/// `decap_entry` and have no unusual fields.
template <Family kOuter, Family kInner>
[[gnu::always_inline]] inline bool matches_decap_entry(std::span<const std::uint8_t> outer,
                                                       const DecapEntry& decap_entry) {
  constexpr std::uint32_t kSoundHeader = kInner == Family::Ipv4 ? kUdpTunnelBytes<kOuter> : 0;
  const std::uint8_t* tunnel = outer.data() + FastIp<kOuter>::kBytes + wire::kUdpBytes;
  const std::uint8_t* frame = tunnel + vxlan::kHeaderBytes;
  return encap::udp_fills<kOuter>(outer) &&
         (load<std::uint64_t>(tunnel) & decap_entry.header_mask) == decap_entry.header_value &&
         load<std::uint16_t>(frame + 12) == network_order(FastIp<kInner>::kEtherType) &&
         decap_entry.mac.is_at(frame) && !decap_entry.mac.is_at(frame + sizeof(MacAddress)) &&
         encap::udp_checksum_is_right<kOuter, kSoundHeader>(outer);
}

/// Returns the inner packet of the tunnel packet at `outer`, if it is for the device of
/// `decap_entry`. Requires `available` to be at least the outer family's kMin; returns no packet if
/// it does not fit in `available` bytes.
template <Family kOuter, Family kInner, TunnelFraming kFraming>
[[gnu::always_inline]] inline ParsedPacket fast_decapsulate(std::uint8_t* outer,
                                                            std::uint32_t available,
                                                            const DecapEntry& decap_entry) {
  using Outer = FastIp<kOuter>;
  constexpr bool kIsUdp = kFraming == TunnelFraming::UdpAndFrame;
  constexpr std::uint32_t kHeaders = kIsUdp ? kUdpTunnelBytes<kOuter> : Outer::kBytes;
  const std::uint32_t total = Outer::total(outer);
  if (!is_for<kOuter, kInner, kFraming>(outer, decap_entry) || !Outer::is_plain(outer))
    return kNoPacket;
  if (total > available || total < kHeaders + FastIp<kInner>::kMin) return kNoPacket;
  if (!Outer::is_sound(outer)) return kNoPacket;
  const ParsedPacket inside = fast_parse<kInner>(outer + kHeaders, total - kHeaders);
  const bool is_ecn_same =
      encap::PlainIp<kOuter>::ecn(outer) == encap::PlainIp<kInner>::ecn(outer + kHeaders);
  if (inside.bytes != total - kHeaders || !is_ecn_same) return kNoPacket;
  if (kIsUdp && !matches_decap_entry<kOuter, kInner>({outer, total}, decap_entry)) return kNoPacket;
  return inside;
}

}  // namespace overlane::adjacency

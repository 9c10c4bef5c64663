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

// Recognises packets that an adjacency may take: sound, whole, without options or extension
// headers. A few comparisons of fixed offsets decide; whatever looks unusual is left to the
// full path. Everything is inlined into the loop of burst.h.

/// A few UDP ports, of which most packets have none.
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
  std::uint64_t mask_ = 0;  ///< Says no for most ports.
  std::vector<std::uint16_t> ports_;
};

/// The most that a push() asks for in front of a packet: IPv6, UDP, Geneve and Ethernet headers.
inline constexpr std::uint32_t kPushRoom = 70;
/// Room in front of a frame: the link header that leaves takes the place of that which came.
inline constexpr std::uint32_t kHeadroom = kPushRoom;

/// An Ethernet frame in a buffer that has kHeadroom bytes in front of it.
struct Frame {
  std::uint8_t* at;
  std::uint32_t bytes;
};

/// A packet of the kind that adjacencies are for: sound, whole, without options or extension
/// headers, with a hop limit above 1, and no tunnel packet; in IPv6 one of TCP or UDP.
struct ParsedPacket {
  std::uint8_t* at;
  std::uint32_t bytes;  ///< 0: there is none.
};

inline constexpr ParsedPacket kNoPacket{.at = nullptr, .bytes = 0};

/// What is usual in the first eight bytes of an IPv4 header: no options, no fragment.
inline constexpr encap::Bits kPlainIpv4Start{0xff00000000003fff, std::uint64_t{0x45} << 56};

/// Where the headers of a family have what adjacencies look at. `at` is where a header begins.
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

  /// Whether the header, of a packet of at least kMin bytes, says nothing unusual.
  [[gnu::always_inline]] static bool is_plain(const std::uint8_t* at) {
    return kPlainIpv4Start.are_at(at);
  }
  [[gnu::always_inline]] static bool is_sound(const std::uint8_t* at) {
    return encap::header_checksum_is_right(at);
  }
  /// Whether a plain one may be forwarded, as far as it shows.
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

  /// The version, and no address that begins with 64 zero bits, among which are those that no
  /// packet may have (IPv4-mapped ones).
  [[gnu::always_inline]] static bool is_plain(const std::uint8_t* at) {
    return (at[0] & 0xf0) == 0x60 && load<std::uint64_t>(at + 8) != 0 &&
           load<std::uint64_t>(at + 24) != 0;
  }
  [[gnu::always_inline]] static bool is_sound(const std::uint8_t*) { return true; }
  /// Extension headers, fragments and ICMPv6 are for the full path.
  [[gnu::always_inline]] static bool is_forwardable(const std::uint8_t* at) {
    return at[7] > 1 && (at[6] == wire::kTcp || at[6] == wire::kUdp);
  }
};

/// Whether a packet may be in a tunnel, by the ports that tunnels have; in IPv6 one without
/// extension headers, and over UDP alone.
template <Family kFamily>
[[gnu::always_inline]] inline bool may_be_tunnelled(const std::uint8_t* at,
                                                    const PortSet& tunnel_ports) {
  using Ip = FastIp<kFamily>;
  const std::uint8_t protocol = Ip::protocol(at);
  if (protocol == wire::kUdp) return tunnel_ports.contains(load_be16(at + Ip::kBytes + 2));
  return kFamily == Family::Ipv4 && (protocol == wire::kIpv4InIp || protocol == wire::kIpv6InIp);
}

/// The packet at `at`, which the `available` bytes, kMin at least, must hold; what is behind it
/// is padding.
template <Family kFamily>
[[gnu::always_inline]] inline ParsedPacket fast_parse(std::uint8_t* at, std::uint32_t available) {
  using Ip = FastIp<kFamily>;
  const std::uint32_t total = Ip::total(at);
  const bool usual = Ip::is_plain(at) && total >= Ip::kMin && total <= available &&
                     Ip::is_forwardable(at) && Ip::is_sound(at);
  return {.at = at, .bytes = usual ? total : 0};
}

/// In front of what comes out of a tunnel over UDP: outer header, UDP, the tunnel's own, and
/// Ethernet.
template <Family kOuter>
inline constexpr std::uint32_t kUdpTunnelBytes =
    FastIp<kOuter>::kBytes + wire::kUdpBytes + vxlan::kHeaderBytes + wire::kEthernetBytes;
static_assert(vxlan::kHeaderBytes == geneve::kHeaderBytes);

/// What stands between the outer IP header and the packet inside.
enum class Between : std::uint8_t { Nothing, UdpAndFrame };

/// Whether a packet of the usual form is for the decap_entry, by its addresses and port.
template <Family kOuter, Family kInner, Between kBetween>
[[gnu::always_inline]] inline bool is_for(const std::uint8_t* outer,
                                          const DecapEntry& decap_entry) {
  constexpr bool kIsUdp = kBetween == Between::UdpAndFrame;
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

/// Whether what stands between an outer header and a sound inner packet is the decap_entry's, and
/// nothing about it unusual.
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

/// The packet that came to the decap_entry in the outer one at `outer`, which the `available` bytes
/// must hold; they are the least of that family at least.
template <Family kOuter, Family kInner, Between kBetween>
[[gnu::always_inline]] inline ParsedPacket fast_decapsulate(std::uint8_t* outer,
                                                            std::uint32_t available,
                                                            const DecapEntry& decap_entry) {
  using Outer = FastIp<kOuter>;
  constexpr bool kIsUdp = kBetween == Between::UdpAndFrame;
  constexpr std::uint32_t kHeaders = kIsUdp ? kUdpTunnelBytes<kOuter> : Outer::kBytes;
  const std::uint32_t total = Outer::total(outer);
  if (!is_for<kOuter, kInner, kBetween>(outer, decap_entry) || !Outer::is_plain(outer))
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

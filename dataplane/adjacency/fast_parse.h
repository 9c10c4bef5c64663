#pragma once

#include <cstring>
#include <span>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/frame.h"
#include "dataplane/adjacency/mac_word.h"
#include "dataplane/adjacency/port_set.h"
#include "dataplane/encap/fast_path_eligible.h"
#include "dataplane/encap/geneve/pop.h"
#include "dataplane/encap/vxlan/pop.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {

/// An IPv4 packet of the kind that adjacencies are for: sound, whole, without options, with a hop
/// limit above 1, and no tunnel packet.
struct ParsedPacket {
  std::uint8_t* at;
  std::uint32_t bytes;  ///< 0: there is none.

  std::uint32_t source() const { return load_be32(at + 12); }
  std::uint32_t destination() const { return load_be32(at + 16); }
  std::uint8_t protocol() const { return at[9]; }
};

inline constexpr ParsedPacket kNoPacket{.at = nullptr, .bytes = 0};

/// Where the IPv4 packet in a frame to `mac` is, with kLeastBytes at least; nowhere if there is
/// none.
inline std::uint8_t* ipv4_to(const MacWord& mac, const Frame& frame) {
  if (frame.bytes < wire::kEthernetBytes + kLeastBytes || !mac.is_at(frame.at)) return nullptr;
  if (load<std::uint16_t>(frame.at + 12) != network_order(wire::kEtherTypeIpv4)) return nullptr;
  return frame.at + wire::kEthernetBytes;
}

/// Whether a packet may be in a tunnel, by the ports that tunnels have.
inline bool may_be_tunnelled(const std::uint8_t* at, const PortSet& tunnel_ports) {
  if (at[9] == wire::kUdp) return tunnel_ports.contains(load_be16(at + wire::kIpv4Bytes + 2));
  return at[9] == wire::kIpv4InIp || at[9] == wire::kIpv6InIp;
}

/// What is usual in the first eight bytes of an IPv4 header: no options, no fragment.
inline constexpr encap::Bits kPlainIpv4Start{0xff00000000003fff, std::uint64_t{0x45} << 56};

/// The packet at `at`, which the `available` bytes must hold; what is behind it is padding.
[[gnu::always_inline]] inline ParsedPacket fast_parse(std::uint8_t* at, std::uint32_t available) {
  const std::uint32_t total = load_be16(at + 2);
  const bool usual = kPlainIpv4Start.are_at(at) && total >= kLeastBytes && total <= available &&
                     at[8] > 1 && encap::header_checksum_is_right(at);
  return {.at = at, .bytes = usual ? total : 0};
}

/// In front of what comes out of a tunnel over UDP: outer IPv4 header, UDP, the tunnel's own, and
/// Ethernet.
inline constexpr std::uint32_t kUdpTunnelBytes =
    wire::kIpv4Bytes + wire::kUdpBytes + vxlan::kHeaderBytes + wire::kEthernetBytes;
static_assert(vxlan::kHeaderBytes == geneve::kHeaderBytes);

/// Whether a packet of the usual form is for the decap_entry, by its addresses and port.
template <std::uint32_t kHeaders>
[[gnu::always_inline]] inline bool is_for(const std::uint8_t* outer,
                                          const DecapEntry& decap_entry) {
  constexpr std::uint8_t kProtocol = kHeaders == kUdpTunnelBytes ? wire::kUdp : wire::kIpv4InIp;
  return outer[9] == kProtocol && load<std::uint32_t>(outer + 16) == decap_entry.local &&
         (kProtocol != wire::kUdp ||
          load<std::uint16_t>(outer + wire::kIpv4Bytes + 2) == decap_entry.udp_port);
}

/// Whether what stands between an outer IPv4 header and a sound inner packet is the decap_entry's,
/// and nothing about it unusual.
[[gnu::always_inline]] inline bool matches_decap_entry(std::span<const std::uint8_t> outer,
                                                       const DecapEntry& decap_entry) {
  const std::uint8_t* tunnel = outer.data() + wire::kIpv4Bytes + wire::kUdpBytes;
  const std::uint8_t* frame = tunnel + vxlan::kHeaderBytes;
  return encap::udp_fills<Family::Ipv4>(outer) &&
         (load<std::uint64_t>(tunnel) & decap_entry.header_mask) == decap_entry.header_value &&
         load<std::uint16_t>(frame + 12) == network_order(wire::kEtherTypeIpv4) &&
         decap_entry.mac.is_at(frame) && !decap_entry.mac.is_at(frame + sizeof(MacAddress)) &&
         encap::udp_checksum_is_right<Family::Ipv4, kUdpTunnelBytes>(outer);
}

/// The packet that came to the decap_entry in the outer one at `outer`, which the `available` bytes
/// must hold; they are kLeastBytes at least. kHeaders bytes are in front of it.
template <std::uint32_t kHeaders>
[[gnu::always_inline]] inline ParsedPacket fast_decapsulate(std::uint8_t* outer,
                                                            std::uint32_t available,
                                                            const DecapEntry& decap_entry) {
  const std::uint32_t total = load_be16(outer + 2);
  if (!is_for<kHeaders>(outer, decap_entry) || !kPlainIpv4Start.are_at(outer)) return kNoPacket;
  if (total > available || total < kHeaders + kLeastBytes) return kNoPacket;
  if (!encap::header_checksum_is_right(outer)) return kNoPacket;
  const ParsedPacket inside = fast_parse(outer + kHeaders, total - kHeaders);
  const bool is_ecn_same = ((outer[1] ^ outer[kHeaders + 1]) & encap::kEcnMask) == 0;
  if (inside.bytes != total - kHeaders || !is_ecn_same) return kNoPacket;
  if (kHeaders == kUdpTunnelBytes && !matches_decap_entry({outer, total}, decap_entry))
    return kNoPacket;
  return inside;
}

}  // namespace overlane::adjacency

#pragma once

#include <cstring>
#include <span>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/frame.h"
#include "dataplane/adjacency/port_set.h"
#include "dataplane/encap/geneve/pop.h"
#include "dataplane/encap/ipip/pop.h"
#include "dataplane/encap/usual_packet.h"
#include "dataplane/encap/vxlan/pop.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {

/// An IPv4 packet of the kind that adjacencies are for: sound, whole, without options, with a hop
/// limit above 1, and no tunnel packet.
struct Arriving {
  std::uint8_t* at;
  std::uint32_t bytes;         ///< 0: there is none.
  std::uint32_t outer_source;  ///< Of the packet it came in, host byte order.

  std::uint32_t source() const { return load_be32(at + 12); }
  std::uint32_t destination() const { return load_be32(at + 16); }
  std::uint8_t hop_limit() const { return at[8]; }
  std::uint8_t protocol() const { return at[9]; }
};

/// Whether these bytes are that address.
inline bool is_mac(const std::uint8_t* at, const MacAddress& mac) {
  return load<std::uint32_t>(at) == load<std::uint32_t>(mac.bytes.data()) &&
         load<std::uint16_t>(at + 4) == load<std::uint16_t>(mac.bytes.data() + 4);
}

/// Whether the frame is for `mac`.
inline bool is_to(const Frame& frame, const MacAddress& mac) {
  return frame.bytes >= wire::kEthernetBytes && is_mac(frame.at, mac);
}

/// Whether a packet may be in a tunnel, by the ports that tunnels have.
inline bool looks_tunnelled(const std::uint8_t* at, const PortSet& tunnel_ports) {
  if (at[9] == wire::kIpv4InIp || at[9] == wire::kIpv6InIp) return true;
  const std::uint16_t port = load_be16(at + encap::UsualIp<Family::Ipv4>::kBytes + 2);
  return at[9] == wire::kUdp && tunnel_ports.contains(port);
}

/// The packet at `at`, which the `available` bytes must hold; what is behind it is padding.
inline Arriving usual_packet(std::uint8_t* at, std::uint32_t available) {
  constexpr std::uint16_t kFragment = 0x3fff;
  const std::uint32_t total = load_be16(at + 2);
  const bool usual = at[0] == 0x45 && total >= kLeastBytes && total <= available && at[8] > 1 &&
                     (load<std::uint16_t>(at + 6) & network_order(kFragment)) == 0 &&
                     encap::header_checksum_is_right(at);
  return {.at = at, .bytes = usual ? total : 0, .outer_source = 0};
}

/// The packet in a frame when it is not in a tunnel.
inline Arriving bare_packet(const Frame& frame, const PortSet& tunnel_ports) {
  constexpr Arriving kNone{.at = nullptr, .bytes = 0, .outer_source = 0};
  if (frame.bytes < wire::kEthernetBytes + kLeastBytes) return kNone;
  if (load<std::uint16_t>(frame.at + 12) != network_order(wire::kEtherTypeIpv4)) return kNone;
  std::uint8_t* at = frame.at + wire::kEthernetBytes;
  if (looks_tunnelled(at, tunnel_ports)) return kNone;
  return usual_packet(at, frame.bytes - static_cast<std::uint32_t>(wire::kEthernetBytes));
}

/// The parts of a sound outer packet of that kind, which has nothing unusual about it.
[[gnu::always_inline]] inline encap::Parts usual_parts(Encapsulation encapsulation,
                                                       std::span<const std::uint8_t> packet) {
  using Ipip = encap::UsualPacket<Family::Ipv4, wire::kIpv4InIp, wire::kIpv4Bytes>;
  if (encapsulation == Encapsulation::Ipip) {
    return Ipip::is_outer(packet) ? Ipip::parts<Family::Ipv4>(packet)
                                  : encap::refuse(Drop::Malformed);
  }
  if (encapsulation == Encapsulation::Vxlan) return vxlan::usual_parts<Family::Ipv4>(packet);
  if (encapsulation == Encapsulation::Geneve) return geneve::usual_parts<Family::Ipv4>(packet);
  return encap::refuse(Drop::Malformed);
}

/// Whether the tunnel's own header and the inner frame are the entrance's.
inline bool is_entrances_own(const std::uint8_t* udp, const Entrance& entrance) {
  constexpr std::size_t kVniAt = wire::kUdpBytes + 4;
  const std::uint8_t* frame = udp + wire::kUdpBytes + vxlan::kHeaderBytes;
  const bool is_vni = entrance.any_vni || load_be24(udp + kVniAt) == entrance.vni;
  return is_vni && is_mac(frame, entrance.mac) &&
         !is_mac(frame + entrance.mac.bytes.size(), entrance.mac);
}

/// The packet that came to the entrance in this frame.
[[gnu::always_inline]] inline Arriving packet_inside(const Frame& frame, const Entrance& entrance) {
  constexpr Arriving kNone{.at = nullptr, .bytes = 0, .outer_source = 0};
  if (frame.bytes < wire::kEthernetBytes + 2 * kLeastBytes) return kNone;
  if (load<std::uint16_t>(frame.at + 12) != network_order(wire::kEtherTypeIpv4)) return kNone;
  std::uint8_t* outer = frame.at + wire::kEthernetBytes;
  const bool over_udp = entrance.encapsulation != Encapsulation::Ipip;
  if (outer[9] != (over_udp ? wire::kUdp : wire::kIpv4InIp)) return kNone;
  if (load_be32(outer + 16) != entrance.local.ipv4().bits) return kNone;
  if (over_udp && load_be16(outer + wire::kIpv4Bytes + 2) != entrance.udp_port) return kNone;
  const std::uint32_t total = load_be16(outer + 2);
  if (total > frame.bytes - wire::kEthernetBytes) return kNone;
  const encap::Parts parts = usual_parts(entrance.encapsulation, {outer, total});
  if (parts.refused || parts.inner_family != Family::Ipv4) return kNone;
  if (over_udp && !is_entrances_own(outer + wire::kIpv4Bytes, entrance)) return kNone;
  Arriving inside = usual_packet(outer + parts.header_bytes, parts.inner_bytes);
  inside.outer_source = load_be32(outer + 12);
  return inside;
}

}  // namespace overlane::adjacency

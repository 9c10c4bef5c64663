#pragma once

#include "dataplane/forward/node_decision.h"
#include "dataplane/node/state/tunnel_ports.h"

namespace overlane::forward {

/// Whether a kernel takes the protocol without a module that a node would have to load: ICMP, IGMP
/// (in IPv4), TCP and UDP. Tunnels are recognised before.
inline bool is_taken(const IpFields& header) {
  constexpr std::uint8_t kIgmp = 2;
  return header.is_icmp() || has_ports(header.protocol) ||
         (header.is_ipv4() && header.protocol == kIgmp);
}

/// ip_local_deliver and ip6_input: reassembly, the INPUT chain, then the tunnels or the node
/// itself. A tunnel packet that came out of a tunnel is not taken apart again.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::receive(const Packet& packet, const node::Device* device) {
  Packet whole = packet;
  if (packet.outermost().is_fragment() && !reassemble(whole, device)) return;
  const node::TunnelGuard* guard = guard_of(whole);
  const IpAddress source = whole.outermost().source;
  if (guard != nullptr && !node::admits(*guard, source, lookup_.is_member(source))) {
    return drop(Drop::TunnelSource, whole, {.guard = guard});
  }
  if (is_refused(whole, node::ServiceRefusal::AtInput)) return;
  if (!remember(whole)) return;
  if (whole.is_encapsulated()) return receive_tunnelled(whole, guard);
  const std::uint8_t protocol = whole.inner.protocol;
  if (protocol == kIpip || protocol == kIpv6InIp) {
    return drop(Drop::UnsupportedProtocol, whole);
  }
  if (!is_taken(whole.inner)) {
    // The first header's own field.
    constexpr std::uint32_t kNextHeader = 6;
    answer(IcmpReason::ProtocolUnreachable, whole, kNextHeader);
    return drop(Drop::UnsupportedProtocol, whole);
  }
  if (protocol == kUdp) {
    if (whole.inner.payload_bytes() < kUdpHeaderBytes) return drop(Drop::Malformed, whole);
    if (node::tunnel_at(lookup_.state(), whole.destination_port) != Encapsulation::None) {
      return drop(Drop::UnsupportedProtocol, whole);
    }
  }
  learn(whole);
  emit(Egress::Host, whole, whole.outermost().destination);
}

/// What of the packet filter says whether the node takes this packet (Felix's INPUT chain), if
/// anything does.
template <typename Lookup, typename Observer>
const node::TunnelGuard* NodeDecision<Lookup, Observer>::guard_of(const Packet& packet) const {
  if (lookup_.state().filter == nullptr) return nullptr;
  const std::uint16_t port =
      packet.is_encapsulated() ? packet.outer_destination_port : packet.destination_port;
  return node::find_guard(*lookup_.state().filter, packet.outermost().protocol, port);
}

/// The tunnel device, ECN, and the inner packet as if it had come in through that device. Where
/// nothing listens the sender hears "port unreachable" (udp_rcv, tunnel4_rcv).
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::receive_tunnelled(const Packet& packet,
                                                       const node::TunnelGuard* guard) {
  const node::TunnelKey key{.encapsulation = packet.encapsulation,
                            .source = packet.outer.source,
                            .vni = packet.vni,
                            .udp_port = packet.outer_destination_port};
  if (packet.udp_fault) return drop(*packet.udp_fault, packet);
  const bool is_cut = !packet.inner_fault && packet.wrapped_bytes() > packet.outer.total_length;
  if (is_cut && packet.outer.protocol == kUdp) return drop(Drop::Malformed, packet);
  const node::Device* device = lookup_.receiving_device(key);
  const bool is_open = device != nullptr && device->up;
  if (!is_open && !node::listens(lookup_.state(), key)) {
    answer(IcmpReason::PortUnreachable, packet);
    return drop(Drop::TunnelUnknown, packet, nullptr, device);
  }
  if (packet.inner_fault) return drop(*packet.inner_fault, packet, nullptr, device);
  if (!is_open) return drop(Drop::TunnelUnknown, packet, nullptr, device);
  Packet bare = packet;
  if (!decapsulate(bare)) return drop(Drop::EcnCorrupted, packet, nullptr, device);
  if (bare.inner.total_length < bare.inner.header_bytes() || is_cut) {
    return drop(Drop::Malformed, packet, nullptr, device);
  }
  if (const auto foreign = foreign_to_peer(packet, *device)) {
    return drop(*foreign, packet, nullptr, device);
  }
  observer_.decapsulated(packet, *device, guard);
  enter(bare, device);
}

/// Why a WireGuard device does not take what was inside a packet, whatever other tunnels do: no
/// session has its index, or the sender's address is none of that peer's
/// (wg_packet_consume_data_done). Where it came from does not matter: the peer may roam.
template <typename Lookup, typename Observer>
std::optional<Drop> NodeDecision<Lookup, Observer>::foreign_to_peer(
    const Packet& packet, const node::Device& device) const {
  if (packet.encapsulation != Encapsulation::Wireguard) return std::nullopt;
  const node::NodeState& state = lookup_.state();
  const node::Member* peer = node::wireguard_peer(state, packet.vni);
  if (peer == nullptr) return Drop::TunnelUnknown;
  const bool is_allowed = node::allowed_peer(state, device, packet.inner.source) == peer;
  return is_allowed ? std::nullopt : std::optional(Drop::AllowedIps);
}

/// What an ICMP error teaches about the path of the node's own packets: of those in tunnels, since
/// a quoted TCP or UDP packet counts only when a socket has sent it (icmp_unreach, ipip_err,
/// vxlan_err_lookup).
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::learn(const Packet& packet) {
  if (!packet.icmp || !is_packet_too_big(*packet.icmp, packet.inner.family())) return;
  if (!lookup_.is_local(packet.icmp->quoted_source)) return;
  runtime_.path_mtus.learn(packet.icmp->quoted_destination, packet.icmp->next_hop_mtu, now_);
}

}  // namespace overlane::forward

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/open_tunnel.h"
#include "dataplane/reference/tunnel_headers.h"

namespace overlane::reference {

using forward::Egress;
using forward::IpFields;

namespace {

std::uint8_t tos_of(const Bytes& packet) {
  const bool ipv4 = packet[0] >> 4 == 4;
  return static_cast<std::uint8_t>(ipv4 ? packet[1] : packet[0] << 4 | packet[1] >> 4);
}

}  // namespace

void ByteNode::local(const Bytes& arrived, node::DeviceName device) {
  const auto together = for_this_node(arrived, device);
  if (!together) return;
  if (!passes_input(*together)) return give_up(Drop::TunnelSource);
  if (refuses(*together, node::ServiceProxy::Ipvs)) return;
  const auto whole = remembered(*together);
  if (!whole) return;
  const forward::Packet seen = decode(*whole, tunnel_ports());
  if (seen.is_encapsulated() && unwrapped_) return give_up(Drop::UnsupportedProtocol);
  if (seen.is_encapsulated()) return unwrap(*whole, seen.encapsulation);
  const IpFields header = header_of(*whole);
  const bool ipv4 = header.is_ipv4();
  const bool is_igmp = ipv4 && header.protocol == 2;
  if (header.protocol != 6 && header.protocol != 17 && !header.is_icmp() && !is_igmp) {
    tell(*whole, ipv4 ? 3 : 4, ipv4 ? 2 : 1, ipv4 ? 0 : next_header_at(*whole));
    return give_up(Drop::UnsupportedProtocol);
  }
  if (seen.inner.protocol == 17 && whole->size() < payload_at(*whole) + 8) {
    return give_up(Drop::Malformed);
  }
  if (seen.icmp && is_packet_too_big(*seen.icmp, seen.inner.family()) &&
      has_address(state_, seen.icmp->quoted_source)) {
    runtime_.path_mtus.learn(seen.icmp->quoted_destination, seen.icmp->next_hop_mtu, now_);
  }
  sent.push_back({Egress::Host, *whole, header_of(*whole).destination, telling_});
}

bool ByteNode::passes_input(const Bytes& bytes) const {
  const IpFields header = header_of(bytes);
  const std::size_t at = payload_at(bytes);
  const bool has_port = header.protocol == 17 && bytes.size() >= at + 4;
  const std::uint16_t port = has_port ? load_be16(bytes.data() + at + 2) : std::uint16_t{0};
  if (!state_.filter) return true;
  for (const node::TunnelGuard& guard : state_.filter->tunnel_guards) {
    if (guard.protocol != header.protocol) continue;
    if (guard.protocol == 17 && guard.udp_port != port) continue;
    for (const IpPrefix& network : guard.networks)
      if (network.contains(header.source)) return true;
    for (const node::Member& member : state_.cluster->members()) {
      const auto& addresses = header.is_ipv4() ? member.ipv4 : member.ipv6;
      if (guard.members && addresses && addresses->node == header.source) return true;
    }
    return false;
  }
  return true;
}

std::optional<Drop> ByteNode::stranger(const Bytes& datagram, const Bytes& inner,
                                       const node::Device& device) const {
  std::uint32_t index = 0;
  for (std::size_t i = 4; i-- > 0;)
    index = index << 8 | datagram[8 + 4 + i];
  const auto& members = state_.cluster->members();
  if (index == 0 || index > members.size() || index == state_.self.value + 1)
    return Drop::TunnelUnknown;
  const auto peer = allowed_peer(device, header_of(inner).source);
  return peer == index - 1 ? std::nullopt : std::optional(Drop::AllowedIps);
}

void ByteNode::unwrap(const Bytes& bytes, Encapsulation encapsulation) {
  const IpFields outer = header_of(bytes);
  const bool over_ipv6 = !outer.is_ipv4();
  const bool is_udp = is_over_udp(encapsulation);
  const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
  const Result<Bytes, Drop> payload = is_udp ? udp_datagram(bytes) : tail(bytes, payload_at(bytes));
  if (!payload) return give_up(payload.error());
  const std::uint16_t port = is_udp ? load_be16(payload->data() + 2) : std::uint16_t{0};
  const bool has_vni = is_udp && !is_wireguard;
  const std::uint32_t vni = has_vni && payload->size() >= 15 ? load_be24(payload->data() + 12) : 0;
  const node::Device* device = nullptr;
  bool listens = false;
  for (const node::Device& candidate : state_.devices) {
    if (node::encapsulation_of(candidate.kind) != encapsulation || candidate.udp_port != port)
      continue;
    if ((candidate.underlay == Family::Ipv6) != over_ipv6) continue;
    const bool is_stranger = candidate.remote && *candidate.remote != outer.source;
    if (candidate.up && (is_udp || !is_stranger)) listens = true;
    if (is_stranger || (has_vni && !candidate.external && candidate.vni != vni)) continue;
    if (device == nullptr || (candidate.remote && !device->remote)) device = &candidate;
  }
  if (!listens) {
    tell_unreachable(bytes, 3, 4);
    return give_up(Drop::TunnelUnknown);
  }
  const auto opened =
      open_tunnel(encapsulation, outer.protocol, *payload, device != nullptr && device->external);
  if (!opened) return give_up(opened.error());
  if (device == nullptr || !device->up) return give_up(Drop::TunnelUnknown);
  // Without bytes of its own the packet has no Ethernet addresses inside.
  if (has_vni && fragments_ != nullptr) {
    if (opened->source_mac == device->mac) return give_up(Drop::TunnelLoop);
    if (opened->destination_mac != device->mac) return give_up(Drop::NotLocal);
  }
  auto tos = tos_after_unwrapping(tos_of(opened->inner), outer.tos);
  if (!tos && is_wireguard) tos = tos_of(opened->inner);
  if (!tos) return give_up(Drop::EcnCorrupted);
  if (const auto fault = fault_of(opened->inner)) return give_up(*fault);
  if (is_wireguard) {
    if (const auto why = stranger(*payload, opened->inner, *device)) return give_up(*why);
  }
  tunnelled_ = false;
  unwrapped_ = true;
  come_in(with_tos(trimmed(opened->inner), *tos), device);
}

}  // namespace overlane::reference

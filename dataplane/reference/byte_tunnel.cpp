#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/tunnel_headers.h"

namespace overlane::reference {

using forward::IpFields;

/// The position of the peer among whose allowed IPs an address is; a node's address before pod
/// CIDRs, the longest first, of which equal ones are the first owner's.
std::optional<std::size_t> ByteNode::allowed_peer(const node::Device& device,
                                                  IpAddress address) const {
  const bool ipv4 = address.is_ipv4();
  const auto& members = state_.cluster->members();
  std::optional<std::size_t> best;
  int best_bits = -1;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& addresses = ipv4 ? members[i].ipv4 : members[i].ipv6;
    if (!addresses) continue;
    if (!device.allows_nodes && device.underlay != address.family()) continue;
    int bits = -1;
    if (addresses->pod_cidr.contains(address)) bits = addresses->pod_cidr.bits();
    if (device.allows_nodes && addresses->node == address) bits = 1000;
    if (bits <= best_bits) continue;
    best = i;
    best_bits = bits;
  }
  return best == std::size_t{state_.self.value} ? std::nullopt : best;
}

std::optional<IpAddress> ByteNode::far_end(const Bytes& inner, const node::Route& route,
                                           const node::Device& device) const {
  if (device.remote) return device.remote;
  if (route.tunnel_destination) return route.tunnel_destination;
  const IpAddress next_hop = route.via.value_or(header_of(inner).destination);
  if (device.kind == node::DeviceKind::Ipip) return next_hop;
  if (device.kind == node::DeviceKind::Sit) {
    const Ipv6Address hop = next_hop.is_ipv4() ? Ipv6Address{} : next_hop.ipv6();
    const bool compatible = std::all_of(hop.bytes.begin(), hop.bytes.begin() + 12,
                                        [](std::uint8_t byte) { return byte == 0; });
    const std::uint32_t bits = load_be32(hop.bytes.data() + 12);
    return compatible && bits > 1 ? std::optional<IpAddress>(Ipv4Address{bits}) : std::nullopt;
  }
  if (device.kind == node::DeviceKind::Wireguard) {
    const auto peer = allowed_peer(device, header_of(inner).destination);
    if (!peer) return std::nullopt;
    const node::Member& member = state_.cluster->members()[*peer];
    const auto& end = device.underlay == Family::Ipv4 ? member.ipv4 : member.ipv6;
    return end ? std::optional(end->node) : std::nullopt;
  }
  if (device.kind != node::DeviceKind::Vxlan) return std::nullopt;
  for (const node::Member& member : state_.cluster->members()) {
    const auto& peer = next_hop.is_ipv4() ? member.ipv4 : member.ipv6;
    if (!peer || peer->tunnel != next_hop) continue;
    const auto& underlay = device.underlay == Family::Ipv4 ? member.ipv4 : member.ipv6;
    if (underlay) return underlay->node;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MacAddress> ByteNode::mac_of(const node::Route& route,
                                           const node::Device& device) const {
  if (device.kind != node::DeviceKind::Vxlan || !route.via) return std::nullopt;
  for (const node::Member& member : state_.cluster->members()) {
    const auto& peer = route.via->is_ipv4() ? member.ipv4 : member.ipv6;
    if (peer && peer->tunnel == *route.via) return peer->vtep_mac;
  }
  return std::nullopt;
}

void ByteNode::leave_by_tunnel(const Bytes& bytes, const node::Route& route,
                               const node::Device& device) {
  const IpFields inner = header_of(bytes);
  const Encapsulation encapsulation = node::encapsulation_of(device.kind);
  const bool wrong_family = (encapsulation == Encapsulation::Ipip && !inner.is_ipv4()) ||
                            (encapsulation == Encapsulation::Sit && inner.is_ipv4());
  // Tunnels in tunnels are not supported; in a later fragment the bytes would not show it.
  if (tunnelled_ || wrong_family) return give_up(Drop::UnsupportedProtocol);
  const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
  const auto destination = far_end(bytes, route, device);
  const bool over_ipv6 = destination && !destination->is_ipv4();
  const bool by_protocol4 =
      encapsulation == Encapsulation::Ipip || encapsulation == Encapsulation::Sit;
  const bool wrong_underlay =
      (by_protocol4 && over_ipv6) || (encapsulation == Encapsulation::Ip6Tnl && !over_ipv6);
  if (!destination || wrong_underlay) {
    if (device.kind == node::DeviceKind::Vxlan || is_wireguard) tell_unreachable(bytes, 1, 3);
    return give_up(is_wireguard ? Drop::AllowedIps : Drop::NoNeighbour);
  }
  const auto own = own_address(state_, !over_ipv6);
  if (!own || has_address(state_, *destination)) return give_up(Drop::UnreachableRoute);
  const std::size_t padding =
      is_wireguard ? wireguard_padding(bytes.size(), route.mtu != 0 ? route.mtu : device.mtu) : 0;
  const std::size_t overhead =
      tunnel_header_bytes(encapsulation, over_ipv6) + (is_wireguard ? padding + 16 : 0);
  if (bytes.size() + overhead > (over_ipv6 ? 65575u : 65535u)) return give_up(Drop::MtuExceeded);
  const bool has_limit = encapsulation == Encapsulation::Ip6Tnl;
  if (has_limit && (inner.source == *destination || !limit_behind(bytes))) {
    return give_up(Drop::TunnelLoop);
  }
  Bytes wrapped = wrap(encapsulation, bytes,
                       {.source = *own,
                        .destination = *destination,
                        .vni = is_wireguard ? state_.self.value + 1 : device.vni,
                        .port = device.udp_port,
                        .padding = padding,
                        .source_mac = device.mac,
                        .destination_mac = mac_of(route, device).value_or(MacAddress{})});
  const auto outer_route = leading_route(wrapped, false);
  if (!outer_route) return;
  if (outer_route->route.device == device.name) return give_up(Drop::TunnelLoop);
  const std::size_t mtu = mtu_towards(*destination, *outer_route, false);
  const bool df_binds = encapsulation == Encapsulation::Ipip && inner.dont_fragment &&
                        state_.kernel.tunnel_pmtu_honours_inner_df;
  const bool is_told = encapsulation != Encapsulation::Sit && !is_wireguard;
  if (wrapped.size() > mtu && is_told) {
    runtime_.path_mtus.learn(inner.destination, static_cast<std::uint32_t>(mtu - overhead), now_);
  }
  const bool udp_over_ipv6 = over_ipv6 && encapsulation != Encapsulation::Ip6Tnl && !is_wireguard;
  if (udp_over_ipv6 && wrapped.size() > mtu) return give_up(Drop::MtuExceeded);
  if ((df_binds || encapsulation == Encapsulation::Ip6Tnl) && wrapped.size() > mtu) {
    if (inner.is_ipv4()) tell(bytes, 3, 4, mtu - overhead);
    if (!inner.is_ipv4()) tell(bytes, 2, 0, mtu - overhead);
    return give_up(Drop::MtuExceeded);
  }
  if (!over_ipv6) {
    wrapped = with_identification(wrapped, runtime_.identification.next(*destination));
  }
  tunnelled_ = true;
  if (const auto tracked = tracked_from(wrapped, true)) leave(*tracked, *outer_route, nullptr);
  tunnelled_ = false;
}

}  // namespace overlane::reference

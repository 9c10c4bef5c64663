#include "dataplane/reference/byte_node.h"

#include <algorithm>
#include <utility>

#include "dataplane/net/byte_order.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/reference.h"
#include "dataplane/reference/tunnel_headers.h"
#include "dataplane/wire/icmp.h"

namespace overlane::reference {

using forward::Egress;
using forward::Ingress;
using node::RouteKind;

void ByteNode::give_up(Drop reason) {
  if (!telling_) drop = reason;
}

std::vector<std::uint16_t> ByteNode::vxlan_ports() const {
  std::vector<std::uint16_t> ports{node::kCalicoVxlanPort};
  for (const node::Device& device : state_.devices) {
    if (device.kind == node::DeviceKind::Vxlan) ports.push_back(device.udp_port);
  }
  return ports;
}

void ByteNode::run(Ingress ingress) {
  const Bytes bytes = encode(packet_);
  tunnelled_ = packet_.is_encapsulated();
  const auto header = wire::parse_ipv4(bytes);
  if (!header) return give_up(header.error());
  if (ingress == Ingress::Pod) {
    if (find_route(state_, header->source).pod == nullptr) return give_up(Drop::SourceSpoofed);
    if (decode(bytes, vxlan_ports()).is_encapsulated()) return give_up(Drop::PacketFilter);
    return route_in(bytes, nullptr);
  }
  if (ingress == Ingress::Uplink) {
    const node::Device* uplink = nullptr;
    for (const node::Device& device : state_.devices) {
      if (device.kind == node::DeviceKind::Uplink && uplink == nullptr) uplink = &device;
    }
    if (uplink == nullptr) return give_up(Drop::NoDevice);
    if (!uplink->up) return give_up(Drop::DeviceDown);
    return route_in(bytes, uplink);
  }
  if (has_address(state_, header->destination)) return local(bytes);
  if (const auto found = leading_route(bytes, false)) leave(bytes, *found, false);
}

void ByteNode::route_in(const Bytes& bytes, const node::Device* ingress) {
  const wire::Ipv4Header header = header_of(bytes);
  if (!has_address(state_, header.destination)) return forward_on(bytes, ingress);
  if (ingress != nullptr && !reverse_path_accepts(header.source, *ingress)) {
    return give_up(Drop::RpFilter);
  }
  local(bytes);
}

void ByteNode::forward_on(const Bytes& bytes, const node::Device* ingress) {
  if (!state_.sysctls.ip_forward) return give_up(Drop::NotLocal);
  const auto found = leading_route(bytes, true);
  if (!found) return;
  wire::Ipv4Header header = header_of(bytes);
  if (ingress != nullptr && !reverse_path_accepts(header.source, *ingress)) {
    return give_up(Drop::RpFilter);
  }
  if (header.ttl <= 1) {
    tell(bytes, wire::kIcmpTimeExceeded, 0, 0);
    return give_up(Drop::TtlExpired);
  }
  header.ttl = static_cast<std::uint8_t>(header.ttl - 1);
  leave(with_header(bytes, header), *found, true);
}

bool ByteNode::reverse_path_accepts(IpAddress source, const node::Device& device) const {
  if (has_address(state_, source)) return false;
  const int all = state_.sysctls.rp_filter_all;
  const int mode = all > device.rp_filter ? all : device.rp_filter;
  const FoundRoute back = find_route(state_, source);
  const bool unicast = back.length >= 0 && back.route.kind == RouteKind::Unicast;
  const bool same_device = unicast && back.route.device == device.name;
  if (mode == 0 || same_device) return true;
  if (mode == 1) return false;
  return unicast && device.address.has_value();
}

std::optional<FoundRoute> ByteNode::leading_route(const Bytes& bytes, bool forwarded) {
  const FoundRoute found = find_route(state_, header_of(bytes).destination);
  if (found.length < 0) {
    if (forwarded) tell(bytes, wire::kIcmpUnreachable, 0, 0);
    give_up(Drop::NoRoute);
  } else if (found.route.kind == RouteKind::Blackhole) {
    give_up(Drop::BlackholeRoute);
  } else if (found.route.kind == RouteKind::Unreachable) {
    if (forwarded) tell(bytes, wire::kIcmpUnreachable, 1, 0);
    give_up(Drop::UnreachableRoute);
  } else {
    return found;
  }
  return std::nullopt;
}

std::size_t ByteNode::mtu_towards(IpAddress destination, const FoundRoute& found,
                                  bool forwarded) const {
  std::vector<std::size_t> limits;
  if (found.pod != nullptr) limits.push_back(found.pod->mtu);
  for (const node::Device& device : state_.devices) {
    if (found.pod == nullptr && device.name == found.route.device) limits.push_back(device.mtu);
  }
  if (limits.empty()) limits.push_back(68);
  if (found.route.mtu > 0) limits.push_back(found.route.mtu);
  const auto learnt = runtime_.path_mtus.find(destination, now_);
  if (!forwarded && learnt) limits.push_back(*learnt);
  const std::size_t smallest = *std::ranges::min_element(limits);
  return smallest < 68 ? 68 : smallest;
}

bool ByteNode::fits(const Bytes& bytes, std::size_t mtu, bool forwarded,
                    std::vector<Bytes>& pieces) {
  if (bytes.size() <= mtu) {
    pieces = {bytes};
    return true;
  }
  if (!header_of(bytes).dont_fragment) {
    pieces = fragments_of(bytes, mtu);
    return true;
  }
  if (forwarded) tell(bytes, wire::kIcmpUnreachable, wire::kIcmpFragmentationNeeded, mtu);
  give_up(Drop::MtuExceeded);
  return false;
}

void ByteNode::leave(const Bytes& bytes, const FoundRoute& found, bool forwarded) {
  const IpAddress destination = header_of(bytes).destination;
  const std::size_t mtu = mtu_towards(destination, found, forwarded);
  std::vector<Bytes> pieces;
  if (found.pod != nullptr) {
    if (!fits(bytes, mtu, forwarded, pieces)) return;
    for (const Bytes& piece : pieces)
      sent.push_back({Egress::Pod, piece, destination, telling_});
    return;
  }
  const node::Device* device = nullptr;
  for (const node::Device& candidate : state_.devices) {
    if (candidate.name == found.route.device) device = &candidate;
  }
  if (device == nullptr) return give_up(Drop::NoDevice);
  if (!device->up) return give_up(Drop::DeviceDown);
  if (device->kind == node::DeviceKind::Loopback) return give_up(Drop::UnreachableRoute);
  if (!fits(bytes, mtu, forwarded, pieces)) return;
  for (const Bytes& piece : pieces) {
    if (device->kind == node::DeviceKind::Uplink) {
      sent.push_back({Egress::Uplink, piece, found.route.via.value_or(destination), telling_});
    } else {
      leave_by_tunnel(piece, found.route, *device);
    }
  }
}

void ByteNode::leave_by_tunnel(const Bytes& bytes, const node::Route& route,
                               const node::Device& device) {
  const wire::Ipv4Header inner = header_of(bytes);
  // Tunnels in tunnels are not supported; in a later fragment the bytes would not show it.
  if (tunnelled_) return give_up(Drop::UnsupportedProtocol);
  IpAddress far_end = route.via.value_or(inner.destination);
  const bool is_vxlan = device.kind == node::DeviceKind::Vxlan;
  if (bytes.size() + (is_vxlan ? 50 : 20) > 65535) return give_up(Drop::MtuExceeded);
  if (is_vxlan) {
    const auto& members = state_.cluster->members;
    const auto neighbour = std::ranges::find(members, far_end, &node::Member::tunnel_address);
    if (neighbour == members.end()) return give_up(Drop::NoNeighbour);
    far_end = neighbour->address;
  }
  const IpAddress own = state_.cluster->members[state_.self.value].address;
  Bytes wrapped = is_vxlan ? wrap_in_vxlan(bytes, own, far_end, device.vni, device.udp_port)
                           : wrap_in_ipip(bytes, own, far_end);
  if (has_address(state_, far_end)) return give_up(Drop::UnreachableRoute);
  const auto outer_route = leading_route(wrapped, false);
  if (!outer_route) return;
  const std::size_t mtu = mtu_towards(far_end, *outer_route, false);
  if (!is_vxlan && inner.dont_fragment && state_.kernel.tunnel_pmtu_honours_inner_df &&
      wrapped.size() > mtu) {
    tell(bytes, wire::kIcmpUnreachable, wire::kIcmpFragmentationNeeded, mtu - 20);
    return give_up(Drop::MtuExceeded);
  }
  wire::Ipv4Header outer = header_of(wrapped);
  outer.identification = runtime_.identification.next(far_end);
  tunnelled_ = true;
  leave(with_header(wrapped, outer), *outer_route, false);
  tunnelled_ = false;
}

void ByteNode::local(const Bytes& arrived) {
  const auto whole = collect(arrived);
  if (!whole) return;
  const forward::Packet seen = decode(*whole, vxlan_ports());
  if (header_of(*whole).protocol == 4) return unwrap(*whole, Encapsulation::Ipip);
  if (seen.is_encapsulated()) return unwrap(*whole, Encapsulation::Vxlan);
  if (seen.icmp && seen.icmp->type == 3 && seen.icmp->code == 4 &&
      has_address(state_, seen.icmp->quoted_source)) {
    runtime_.path_mtus.learn(seen.icmp->quoted_destination, seen.icmp->next_hop_mtu, now_);
  }
  sent.push_back({Egress::Host, *whole, header_of(*whole).destination, telling_});
}

std::optional<Bytes> ByteNode::collect(const Bytes& fragment) {
  const wire::Ipv4Header header = header_of(fragment);
  if (!header.is_fragment()) return fragment;
  node::FirstFragment first{
      .ttl = header.ttl, .tos = header.tos, .dont_fragment = header.dont_fragment};
  if ((header.protocol == 6 || header.protocol == 17) && header.fragment_offset == 0) {
    first.source_port = load_be16(fragment.data() + 20);
    first.destination_port = load_be16(fragment.data() + 22);
  }
  const auto result = runtime_.reassembly.add(
      {header.source, header.destination, header.identification, header.protocol},
      {.begin = header.fragment_offset,
       .end = header.fragment_offset + static_cast<std::uint32_t>(fragment.size()) - 20,
       .last = !header.more_fragments,
       .header = first},
      now_);
  if (result.drop) give_up(*result.drop);
  held = !result.drop && !result.whole;
  if (!result.whole) return std::nullopt;

  // The pieces' bytes are those of the packet that this one is a part of.
  forward::Packet whole = packet_;
  if (!tunnelled_) whole.encapsulation = Encapsulation::None;
  forward::IpFields& fields = whole.outermost();
  fields.fragment_offset = 0;
  fields.more_fragments = false;
  fields.total_length = static_cast<std::uint16_t>(result.payload_bytes + 20);
  fields.ttl = result.whole->ttl;
  fields.tos = result.whole->tos;
  fields.dont_fragment = result.whole->dont_fragment;
  if (!whole.is_encapsulated()) {
    whole.source_port = result.whole->source_port;
    whole.destination_port = result.whole->destination_port;
  }
  return encode(whole);
}

void ByteNode::unwrap(const Bytes& bytes, Encapsulation encapsulation) {
  const wire::Ipv4Header outer = header_of(bytes);
  const auto& members = state_.cluster->members;
  const bool known =
      std::ranges::find(members, outer.source, &node::Member::address) != members.end();
  if (!known && state_.tunnel_sources == node::TunnelSources::Members) {
    return give_up(Drop::TunnelSource);
  }
  const bool is_vxlan = encapsulation == Encapsulation::Vxlan;
  const node::Device* device = nullptr;
  for (const node::Device& candidate : state_.devices) {
    if (device != nullptr || node::encapsulation_of(candidate.kind) != encapsulation) continue;
    device = &candidate;
  }
  if (device == nullptr || !device->up) return give_up(Drop::TunnelUnknown);
  if (is_vxlan && (load_be16(bytes.data() + 22) != device->udp_port ||
                   load_be24(bytes.data() + 32) != device->vni)) {
    return give_up(Drop::TunnelUnknown);
  }
  const std::size_t headers = is_vxlan ? 50 : 20;
  if (bytes.size() < headers + 20) return give_up(Drop::Malformed);
  Bytes inner(bytes.begin() + static_cast<std::ptrdiff_t>(headers), bytes.end());
  const auto tos = tos_after_unwrapping(inner[1], outer.tos);
  if (!tos) return give_up(Drop::EcnCorrupted);
  auto header = wire::parse_ipv4(inner);
  if (!header) return give_up(header.error());
  header->tos = *tos;
  inner.resize(header->total_length);
  tunnelled_ = false;
  route_in(with_header(inner, *header), device);
}

void ByteNode::tell(const Bytes& cause, std::uint8_t type, std::uint8_t code, std::size_t mtu) {
  const IpAddress to = header_of(cause).source;
  const FoundRoute found = find_route(state_, to);
  if (found.length < 0 || found.route.kind != RouteKind::Unicast || has_address(state_, to)) return;
  IpAddress from = state_.cluster->members[state_.self.value].address;
  for (const node::Device& device : state_.devices) {
    if (device.name == found.route.device && device.address) from = *device.address;
  }
  auto message = icmp_about(cause, type, code, static_cast<std::uint16_t>(mtu), from);
  if (!message) return;
  wire::Ipv4Header header = header_of(*message);
  header.identification = runtime_.identification.next(to);
  const bool cause_is_tunnelled = std::exchange(tunnelled_, false);
  telling_ = true;
  leave(with_header(*message, header), found, false);
  telling_ = false;
  tunnelled_ = cause_is_tunnelled;
}

forward::Outcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, Ingress ingress, Picos now) {
  ByteNode node(state, runtime, packet, now);
  node.run(ingress);
  forward::Outcome outcome{.drop = node.drop, .held = node.held};
  for (const ByteNode::Sent& sent : node.sent) {
    outcome.emissions.push_back(
        {sent.egress, decode(sent.bytes, node.vxlan_ports()), sent.next_hop, sent.is_reply});
  }
  return outcome;
}

}  // namespace overlane::reference

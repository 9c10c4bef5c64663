#include "dataplane/reference/byte_node.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/prefix.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/tunnel_headers.h"

namespace overlane::reference {

using forward::Egress;
using forward::Ingress;
using forward::IpFields;
using node::RouteKind;

namespace {

/// Whether no packet may be forwarded from or to the address.
bool is_martian(IpAddress address) {
  static const auto kRanges = [] {
    std::vector<IpPrefix> ranges;
    for (const char* range : {"0.0.0.0/32", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32",
                              "::/128", "::1/128", "fe80::/10", "ff00::/8"})
      ranges.push_back(*IpPrefix::parse(range));
    return ranges;
  }();
  return std::ranges::any_of(kRanges,
                             [&](const IpPrefix& range) { return range.contains(address); });
}

bool is_subnet_broadcast(const FoundRoute& found, IpAddress destination) {
  if (!destination.is_ipv4() || found.route.protocol != node::RouteProtocol::Kernel) return false;
  if (found.route.via || found.length < 1 || found.length > 30) return false;
  const std::uint32_t hosts = (std::uint32_t{1} << (32 - found.length)) - 1;
  return (destination.ipv4().bits & hosts) == hosts;
}

/// The name of the device on which a packet arrived. Null `ingress` means the device of the pod
/// that sent it.
node::DeviceName device_of(const node::NodeState& state, const Bytes& bytes,
                           const node::Device* ingress) {
  return ingress == nullptr ? state.pod_device(header_of(bytes).source) : ingress->name;
}

std::uint8_t tos_of(const Bytes& packet) {
  const bool ipv4 = packet[0] >> 4 == 4;
  return static_cast<std::uint8_t>(ipv4 ? packet[1] : packet[0] << 4 | packet[1] >> 4);
}

}  // namespace

node::TunnelPorts tunnel_ports(const node::NodeState& state, const forward::Packet* given) {
  node::TunnelPorts ports = node::tunnel_ports(state);
  const bool is_wireguard = given != nullptr && given->encapsulation == Encapsulation::Wireguard;
  if (is_wireguard) ports.own.clear();
  return ports;
}

void ByteNode::give_up(Drop reason) {
  if (!is_own_error_) drop = reason;
}

void ByteNode::run(const Bytes& arrived, Ingress ingress, HeldFragments* fragments,
                   const forward::Packet* whole) {
  fragments_ = fragments;
  whole_ = whole;
  if (const auto fault = header_fault(arrived)) return give_up(*fault);
  const Bytes bytes = trimmed(arrived);
  tunnelled_ = decode(bytes, tunnel_ports()).is_encapsulated();
  if (whole != nullptr) tunnelled_ = whole->is_encapsulated();
  if (ingress == Ingress::Pod) return come_in(bytes, nullptr);
  if (ingress == Ingress::Uplink) {
    const node::Device* uplink = nullptr;
    for (const node::Device& device : state_.devices) {
      if (device.kind == node::DeviceKind::Uplink && uplink == nullptr) uplink = &device;
    }
    if (uplink == nullptr) return give_up(Drop::NoDevice);
    if (!uplink->up) return give_up(Drop::DeviceDown);
    constexpr std::size_t kVlanTag = 4;
    if (bytes.size() > uplink->mtu + kVlanTag) return give_up(Drop::ReceiveMtuExceeded);
    return come_in(bytes, uplink);
  }
  const auto together = gathered(bytes, {});
  if (!together) return;
  const auto tracked = tracked_from(*together, true);
  if (!tracked) return;
  if (has_address(state_, header_of(*tracked).destination)) {
    return local(*tracked, device_of(state_, *tracked, nullptr));
  }
  if (const auto found = leading_route(*tracked, false)) leave(*tracked, *found, nullptr);
}

void ByteNode::come_in(const Bytes& bytes, const node::Device* ingress) {
  const auto whole = gathered(bytes, device_of(state_, bytes, ingress));
  if (!whole) return;
  if (ingress == nullptr && !may_come_from_pod(*whole)) return;
  const auto tracked = tracked_from(*whole, false);
  if (!tracked) return;
  if (ingress == nullptr && refuses(*tracked, node::ServiceProxy::CalicoEbpf)) return;
  route_in(*tracked, ingress);
}

bool ByteNode::may_come_from_pod(const Bytes& bytes) {
  const IpAddress source = header_of(bytes).source;
  const bool is_pods =
      find_route(state_, source, members_).pod != nullptr && !has_address(state_, source);
  // The bytes of a later fragment do not show whether it belongs to a tunnel packet.
  const bool is_tunnelled =
      fragments_ == nullptr ? tunnelled_ : decode(bytes, tunnel_ports()).is_encapsulated();
  if (!is_pods) give_up(Drop::SourceSpoofed);
  if (is_pods && is_tunnelled) give_up(Drop::PacketFilter);
  return is_pods && !is_tunnelled;
}

void ByteNode::route_in(const Bytes& bytes, const node::Device* ingress) {
  const IpFields header = header_of(bytes);
  if (!has_address(state_, header.destination)) return forward_on(bytes, ingress);
  if (ingress != nullptr && !reverse_path_accepts(header.source, *ingress)) {
    return give_up(Drop::RpFilter);
  }
  local(bytes, device_of(state_, bytes, ingress));
}

void ByteNode::forward_on(const Bytes& bytes, const node::Device* ingress) {
  const IpFields header = header_of(bytes);
  if (header.is_ipv4() && !state_.sysctls.ip_forward) return give_up(Drop::NotLocal);
  if (!header.is_ipv4() && !state_.sysctls.ipv6_forwarding) return give_up(Drop::NotLocal);
  if (is_martian(header.source) || is_martian(header.destination)) return give_up(Drop::Martian);
  const auto found = leading_route(bytes, true);
  if (!found) return;
  if (is_subnet_broadcast(*found, header.destination)) return give_up(Drop::Martian);
  if (ingress != nullptr && !reverse_path_accepts(header.source, *ingress)) {
    return give_up(Drop::RpFilter);
  }
  if (header.ttl <= 1) {
    tell(bytes, header.is_ipv4() ? 11 : 3, 0, 0);
    return give_up(Drop::TtlExpired);
  }
  leave(with_ttl(bytes, static_cast<std::uint8_t>(header.ttl - 1)), *found, &bytes);
}

bool ByteNode::reverse_path_accepts(IpAddress source, const node::Device& device) const {
  if (!source.is_ipv4()) return true;
  if (has_address(state_, source)) return false;
  const int all = state_.sysctls.rp_filter_all;
  const int mode = all > device.rp_filter ? all : device.rp_filter;
  const FoundRoute back = find_route(state_, source, members_);
  const bool unicast = back.length >= 0 && back.route.kind == RouteKind::Unicast;
  const bool same_device = unicast && back.route.device == device.name;
  if (mode == 0 || same_device) return true;
  if (mode == 1) return false;
  const bool has_own = std::ranges::any_of(device.addresses, &IpAddress::is_ipv4);
  return unicast && has_own;
}

std::optional<FoundRoute> ByteNode::leading_route(const Bytes& bytes, bool forwarded) {
  const FoundRoute found = find_route(state_, header_of(bytes).destination, members_);
  if (found.length < 0) {
    if (forwarded) tell_of_route(bytes, 0, 0);
    give_up(Drop::NoRoute);
    return std::nullopt;
  }
  switch (found.route.kind) {
    case RouteKind::Unicast:
      return found;
    case RouteKind::Blackhole:
      give_up(Drop::BlackholeRoute);
      break;
    case RouteKind::Unreachable:
      if (forwarded) tell_of_route(bytes, 1, 0);
      give_up(Drop::UnreachableRoute);
      break;
    case RouteKind::Prohibit:
      if (forwarded) tell_of_route(bytes, 13, 1);
      give_up(Drop::ProhibitRoute);
      break;
  }
  return std::nullopt;
}

std::size_t ByteNode::mtu_towards(IpAddress destination, const FoundRoute& found,
                                  bool forwarded) const {
  std::size_t mtu = 0;
  if (found.pod != nullptr) mtu = found.pod->mtu;
  for (const node::Device& device : state_.devices) {
    if (found.pod == nullptr && device.name == found.route.device) mtu = device.mtu;
  }
  if (found.route.mtu > 0) mtu = found.route.mtu;
  const auto learned = runtime_.path_mtus.find(destination, now_);
  if (learned && learned->mtu < mtu && (!forwarded || learned->locked || !destination.is_ipv4()))
    mtu = learned->mtu;
  const std::size_t smallest = destination.is_ipv4() ? 68 : 1280;
  return mtu < smallest ? smallest : mtu;
}

bool ByteNode::must_not_leave(const Bytes& bytes, std::size_t mtu, const Bytes* cause,
                              const std::vector<std::uint32_t>& ends) {
  const IpFields header = header_of(bytes);
  if (bytes.size() <= mtu) return false;
  const bool ipv4 = header.is_ipv4();
  if (ipv4 && !header.dont_fragment) return false;
  if (!ends.empty() && largest_came_ <= mtu) return false;
  if (ends.empty() && !ipv4 && cause == nullptr) return false;
  if (cause != nullptr && ipv4) tell(*cause, 3, 4, mtu);
  if (cause != nullptr && !ipv4) tell(*cause, 2, 0, mtu);
  give_up(Drop::MtuExceeded);
  return true;
}

std::vector<Bytes> ByteNode::fragments_for(const Bytes& bytes, std::size_t mtu) {
  if (bytes.size() <= mtu) return {bytes};
  const IpFields header = header_of(bytes);
  const std::uint32_t number =
      header.is_ipv4() ? 0u : runtime_.identification.next(header.destination);
  return fragments_of(bytes, mtu, number);
}

void ByteNode::leave(const Bytes& bytes, const FoundRoute& found, const Bytes* cause) {
  const std::size_t mtu = mtu_towards(header_of(bytes).destination, found, cause != nullptr);
  const node::Device* device = nullptr;
  for (const node::Device& candidate : state_.devices) {
    if (candidate.name == found.route.device && found.pod == nullptr) device = &candidate;
  }
  if (device == nullptr && found.pod == nullptr) return give_up(Drop::NoDevice);
  if (device != nullptr && device->kind == node::DeviceKind::Loopback) {
    return give_up(Drop::UnreachableRoute);
  }
  const auto ends = std::exchange(came_in_, {});
  if (must_not_leave(bytes, mtu, cause, ends)) return;
  for (const auto proxy : {node::ServiceProxy::Iptables, node::ServiceProxy::Nftables})
    if (refuses(bytes, proxy)) return;
  const auto leaving = after_postrouting(bytes, found.route.device, device, cause == nullptr);
  if (!leaving) return;
  const IpAddress destination = header_of(*leaving).destination;
  const bool into_tunnel = device != nullptr && device->kind != node::DeviceKind::Uplink;
  for (const Bytes& fragment : ends.empty() ? fragments_for(*leaving, mtu)
                                            : fragments_again(*leaving, mtu, ends, into_tunnel)) {
    if (device == nullptr) {
      sent.push_back({Egress::Pod, fragment, destination, is_own_error_});
    } else if (device->kind == node::DeviceKind::Uplink) {
      sent.push_back(
          {Egress::Uplink, fragment, found.route.via.value_or(destination), is_own_error_});
    } else {
      leave_by_tunnel(fragment, found.route, *device);
    }
  }
}

void ByteNode::tell_of_route(const Bytes& cause, std::uint8_t code, std::uint8_t code_v6) {
  const bool costs = state_.sysctls.route_error_cost;
  if (costs && !runtime_.icmp_limit.allow_route_error(header_of(cause).source, now_)) return;
  report_unreachable(cause, code, code_v6);
}

void ByteNode::report_unreachable(const Bytes& cause, std::uint8_t code, std::uint8_t code_v6) {
  if (header_of(cause).is_ipv4()) return tell(cause, 3, code, 0);
  tell(cause, 1, code_v6, 0);
}

void ByteNode::tell(const Bytes& cause, std::uint8_t type, std::uint8_t code, std::size_t mtu) {
  const IpAddress to = header_of(cause).source;
  const FoundRoute found = find_route(state_, to, members_);
  if (found.length < 0 || found.route.kind != RouteKind::Unicast || has_address(state_, to)) return;
  std::optional<IpAddress> from = own_address(state_, to.is_ipv4());
  for (const node::Device& device : state_.devices) {
    if (device.name != found.route.device) continue;
    const auto at = std::ranges::find(device.addresses, to.family(), &IpAddress::family);
    if (at != device.addresses.end()) from = *at;
  }
  const IpAddress sent_to = header_of(cause).destination;
  if (has_address(state_, sent_to)) from = sent_to;
  if (!from) return;
  auto message = icmp_about(cause, type, code, static_cast<std::uint32_t>(mtu), *from);
  if (!message) return;
  if (state_.sysctls.icmp_ratelimit &&
      !runtime_.icmp_limit.allow(type, code, to, static_cast<std::uint8_t>(found.length), now_)) {
    return;
  }
  if (to.is_ipv4()) message = with_identification(*message, runtime_.identification.next(to));
  const bool cause_is_tunnelled = std::exchange(tunnelled_, false);
  const auto cause_place = place_;
  came_in_.clear();
  is_own_error_ = true;
  const bool is_known = cause_place && cause_place->is_tracked();
  if (is_known) {
    const bool asks = cause_place->direction == node::Direction::Original;
    place_ = node::Track{.state = node::TrackState::Related,
                         .direction = asks ? node::Direction::Reply : node::Direction::Original,
                         .original = cause_place->original,
                         .reply = cause_place->reply};
  }
  const auto tracked = is_known ? with_new_destination(*message) : tracked_from(*message, true);
  if (tracked) leave(*tracked, found, nullptr);
  is_own_error_ = false;
  place_ = cause_place;
  tunnelled_ = cause_is_tunnelled;
}

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
  sent.push_back({Egress::Host, *whole, header_of(*whole).destination, is_own_error_});
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
    const Candidates members = candidates(*state_.cluster, members_, header.source);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const node::Member& member = state_.cluster->members()[members[i]];
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
    report_unreachable(bytes, 3, 4);
    return give_up(Drop::TunnelUnknown);
  }
  const auto opened =
      open_tunnel(encapsulation, outer.protocol, *payload, device != nullptr && device->external);
  if (!opened) return give_up(opened.error());
  if (device == nullptr || !device->up) return give_up(Drop::TunnelUnknown);
  // A packet that was encoded from its descriptor has no inner Ethernet addresses.
  if (has_vni && fragments_ != nullptr) {
    if (opened->source_mac == device->mac) return give_up(Drop::TunnelLoop);
    if (opened->destination_mac != device->mac) return give_up(Drop::NotLocal);
  }
  auto tos = tos_after_unwrapping(tos_of(opened->inner), outer.tos);
  if (!tos && is_wireguard) tos = tos_of(opened->inner);
  if (!tos) return give_up(Drop::EcnCorrupted);
  if (const auto fault = header_fault(opened->inner)) return give_up(*fault);
  if (is_wireguard) {
    if (const auto why = stranger(*payload, opened->inner, *device)) return give_up(*why);
  }
  tunnelled_ = false;
  unwrapped_ = true;
  come_in(with_tos(trimmed(opened->inner), *tos), device);
}

}  // namespace overlane::reference

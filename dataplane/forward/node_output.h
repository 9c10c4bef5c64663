#pragma once

#include <algorithm>

#include "dataplane/forward/connection_tracking.h"
#include "dataplane/forward/decision_context.h"
#include "dataplane/forward/defragmentation.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::forward {

// The output side of a node: routing, MTU, POSTROUTING with fragmentation, and egress to a pod, to
// the uplink or into a tunnel. The outer packet of a tunnel runs through the same steps again. If a
// packet cannot leave, its sender gets an ICMP error, which is output like any packet of the node
// itself. The input side is node_decision.h; nothing here depends on how a packet came in.

/// Sends one packet, and the ICMP errors about it. It owns the results of the input side: the
/// packet's place in its connection and the fragments from which it was reassembled.
template <typename Lookup, typename Observer>
class NodeOutput {
 public:
  using Context = DecisionContext<Lookup, Observer>;

  explicit NodeOutput(const Context& context) : context_(context) {}

  Context& context() { return context_; }
  const Context& context() const { return context_; }
  ConnectionTracking& tracking() { return tracking_; }
  Defragmentation& fragments() { return fragments_; }

  /// Returns the route to the outermost destination. Without a unicast route it drops the packet
  /// and returns nothing.
  std::optional<node::RouteMatch> usable_route(const Packet& packet, Origin origin) {
    auto match = context_.lookup.route(packet.outermost().destination);
    if (!match) {
      refuse(Drop::NoRoute, IcmpReason::NoRoute, packet, nullptr, origin);
      return std::nullopt;
    }
    context_.observer.routed(packet, *match);
    switch (match->route.kind) {
      case node::RouteKind::Unicast:
        return match;
      case node::RouteKind::Blackhole:
        context_.drop(Drop::BlackholeRoute, packet, &*match);
        return std::nullopt;
      case node::RouteKind::Unreachable:
        refuse(Drop::UnreachableRoute, IcmpReason::Unreachable, packet, &*match, origin);
        return std::nullopt;
      case node::RouteKind::Prohibit:
        refuse(Drop::ProhibitRoute, IcmpReason::Prohibited, packet, &*match, origin);
        return std::nullopt;
    }
    return std::nullopt;
  }

  /// Sends a routed packet: to its pod, through the uplink, or into the tunnel of its route.
  void send(const Packet& packet, const node::RouteMatch& match, Origin origin);

  /// Returns whether a rule at `where` refused the packet because its Service has no endpoint. A
  /// refused packet is dropped, and its sender gets an ICMP error.
  bool is_refused(const Packet& packet, node::ServiceRefusal where) {
    const ServiceTranslation services(context_);
    if (!services.is_refused(packet, where)) return false;
    answer(IcmpReason::PortUnreachable, packet);
    context_.drop(Drop::NoEndpoints, packet, {.service = services.refusing(packet)});
    return true;
  }

  /// Sends an ICMP error about `cause` to its source, as a packet of the node itself (icmp_send).
  /// The error's source is the destination of the cause if that is an address of the node, else the
  /// address of the egress device. `detail` as for icmp_error().
  void answer(IcmpReason reason, const Packet& cause, std::uint32_t detail = 0);

 private:
  /// Drops a packet that has no usable route. The sender of a forwarded packet gets an ICMP error,
  /// the node itself does not.
  void refuse(Drop reason, IcmpReason icmp, const Packet& packet, const node::RouteMatch* match,
              Origin origin);
  bool may_answer(const IcmpError& error, IpAddress destination, const node::RouteMatch& match);

  std::uint32_t mtu_of(const node::RouteMatch& match, std::uint32_t device_mtu,
                       const Packet& packet, Origin origin) const;
  std::uint32_t egress_mtu(const node::RouteMatch& match, Family family) const;
  bool fits_or_may_fragment(const Packet& packet, std::uint32_t mtu,
                            const ReceivedFragments* fragments, Origin origin) const;
  template <typename Next>
  void fit(const Packet& packet, const node::RouteMatch& match, const node::Device* device,
           std::uint32_t mtu, Origin origin, Next next);
  template <typename Next>
  void fragment_to_mtu(const Packet& packet, const node::RouteMatch& match,
                       const node::Device* device, std::uint32_t mtu, Next next);
  template <typename Next>
  void refragment(const Packet& packet, const node::RouteMatch& match, const node::Device* device,
                  std::uint32_t mtu, const ReceivedFragments& fragments, Next next);

  void tunnel(const Packet& packet, const node::RouteMatch& match, const node::Device& device);
  /// The far end of a tunnel. `address` is empty if there is none; `peer` is null if no table names
  /// one.
  struct FarEnd {
    std::optional<IpAddress> address;
    const node::Member* peer = nullptr;
  };
  FarEnd far_end(const Packet& packet, const node::Route& route, const node::Device& device) const;
  bool exceeds_path_mtu(const Packet& packet, const Packet& wrapped,
                        const node::RouteMatch& outer_match);

  Context context_;
  ConnectionTracking tracking_;
  Defragmentation fragments_;
};

template <typename Lookup, typename Observer>
void NodeOutput<Lookup, Observer>::send(const Packet& packet, const node::RouteMatch& match,
                                        Origin origin) {
  if (match.pod != nullptr) {
    return fit(packet, match, nullptr, mtu_of(match, match.pod->mtu, packet, origin), origin,
               [&](const Packet& fragment) {
                 context_.emit(Egress::Pod, fragment, fragment.outermost().destination);
               });
  }
  const node::Device* device = context_.lookup.device(match.route.device);
  if (device == nullptr) return context_.drop(Drop::NoDevice, packet, &match);
  const std::uint32_t mtu = mtu_of(match, device->mtu, packet, origin);
  switch (device->kind) {
    case node::DeviceKind::Loopback:
      return context_.drop(Drop::UnreachableRoute, packet, &match, device);
    case node::DeviceKind::Uplink:
      return fit(packet, match, device, mtu, origin, [&](const Packet& fragment) {
        context_.emit(Egress::Uplink, fragment,
                      match.route.via.value_or(fragment.outermost().destination));
      });
    case node::DeviceKind::Ipip:
    case node::DeviceKind::Sit:
    case node::DeviceKind::Ip6Tnl:
    case node::DeviceKind::Vxlan:
    case node::DeviceKind::Geneve:
    case node::DeviceKind::Wireguard:
      return fit(packet, match, device, mtu, origin,
                 [&](const Packet& fragment) { tunnel(fragment, match, *device); });
  }
}

/// Returns the MTU for the packet (ip_dst_mtu_maybe_forward in include/net/ip.h,
/// ip6_dst_mtu_maybe_forward): node::mtu_by(), or a smaller learned path MTU. Learned path MTUs
/// count for the node's own packets and for all IPv6 packets. For forwarded IPv4 packets they count
/// only if locked.
template <typename Lookup, typename Observer>
std::uint32_t NodeOutput<Lookup, Observer>::mtu_of(const node::RouteMatch& match,
                                                   std::uint32_t device_mtu, const Packet& packet,
                                                   Origin origin) const {
  const IpAddress destination = packet.outermost().destination;
  std::uint32_t mtu = node::mtu_by(match.route, device_mtu);
  const auto learned = context_.runtime.path_mtus.find(destination, context_.now);
  const bool counts = origin == Origin::Node || !destination.is_ipv4();
  if (learned && (counts || learned->locked)) mtu = std::min(mtu, learned->mtu);
  return std::max(mtu, min_mtu(destination.family()));
}

/// Returns whether a packet fits the MTU or may be fragmented. A reassembled packet that only its
/// sender may fragment passes if its largest received fragment fits (ip_exceeds_mtu and
/// ip_fragment, ip6_pkt_too_big and ip6_fragment).
template <typename Lookup, typename Observer>
bool NodeOutput<Lookup, Observer>::fits_or_may_fragment(const Packet& packet, std::uint32_t mtu,
                                                        const ReceivedFragments* fragments,
                                                        Origin origin) const {
  const IpFields& header = packet.outermost();
  if (header.total_length <= mtu) return true;
  if (fragments != nullptr) return !header.must_stay_whole() || fragments->largest <= mtu;
  return !header.dont_fragment && (origin == Origin::Node || !header.must_stay_whole());
}

/// Drops a packet that is too large and sends the ICMP error. Else calls `next` with the packet, or
/// with each of its fragments, as it leaves POSTROUTING.
template <typename Lookup, typename Observer>
template <typename Next>
void NodeOutput<Lookup, Observer>::fit(const Packet& packet, const node::RouteMatch& match,
                                       const node::Device* device, std::uint32_t mtu, Origin origin,
                                       Next next) {
  const auto fragments = fragments_.take();
  if (!fits_or_may_fragment(packet, mtu, fragments ? &*fragments : nullptr, origin)) {
    if (origin == Origin::Forwarded) {
      // ip_forward and ip6_forward check the size before they decrement the hop limit.
      Packet cause = packet;
      ++cause.outermost().ttl;
      answer(IcmpReason::PacketTooBig, cause, mtu);
    }
    return context_.drop(Drop::MtuExceeded, packet, &match, device);
  }
  if (is_refused(packet, node::ServiceRefusal::AtForwarding)) return;
  const auto leave = [&](const Packet& leaving) {
    if (fragments) return refragment(leaving, match, device, mtu, *fragments, next);
    if (leaving.outermost().total_length <= mtu) return next(leaving);
    fragment_to_mtu(leaving, match, device, mtu, next);
  };
  tracking_.leave_postrouting(context_, packet, match, device, origin, leave);
}

template <typename Lookup, typename Observer>
template <typename Next>
void NodeOutput<Lookup, Observer>::fragment_to_mtu(const Packet& packet,
                                                   const node::RouteMatch& match,
                                                   const node::Device* device, std::uint32_t mtu,
                                                   Next next) {
  const IpFields& header = packet.outermost();
  context_.observer.fragmented(packet, mtu, match, device);
  if (header.is_ipv4()) return fragment(packet, mtu, next);
  Packet numbered = packet;
  numbered.outermost().identification = context_.runtime.identification.next(header.destination);
  fragment(numbered, mtu, next);
}

/// A packet that was reassembled from fragments is sent as fragments again; in IPv6 only when it is
/// larger than the largest of them. The fragments are the received ones if they fit and the device
/// is no tunnel, whose header their buffers have no room for. Else the packet is fragmented anew,
/// to no more than the largest received fragment (in IPv6 at least 1,280 bytes), in IPv4 with DF if
/// that one had it (ip_do_fragment, ip6_fragment). Unlike in Linux, an IPv6 packet that then stays
/// whole gets no fragment header.
template <typename Lookup, typename Observer>
template <typename Next>
void NodeOutput<Lookup, Observer>::refragment(const Packet& packet, const node::RouteMatch& match,
                                              const node::Device* device, std::uint32_t mtu,
                                              const ReceivedFragments& fragments, Next next) {
  const IpFields& header = packet.outermost();
  const bool ipv4 = header.is_ipv4();
  const bool is_tunnel = device != nullptr && device->encapsulation() != Encapsulation::None;
  const bool as_came = !is_tunnel && fragments.largest <= mtu;
  std::uint32_t limit = std::min(mtu, fragments.largest);
  if (!ipv4 && !as_came) limit = std::max(limit, min_mtu(Family::Ipv6));
  if (!ipv4 && header.total_length <= limit) return next(packet);
  if (!as_came) return fragment_to_mtu(packet, match, device, limit, next);
  context_.observer.refragmented(packet, fragments.ends.size());
  Packet numbered = packet;
  if (!ipv4) {
    numbered.outermost().identification = context_.runtime.identification.next(header.destination);
  }
  fragment_as_came(std::move(numbered), fragments, next);
}

/// Returns the destination of the outer packet: the device's `remote`, the route's `encap ip dst`,
/// VXLAN's neighbour and forwarding database entry, WireGuard's peer, or the next hop of tunl0 and
/// sit0.
template <typename Lookup, typename Observer>
typename NodeOutput<Lookup, Observer>::FarEnd NodeOutput<Lookup, Observer>::far_end(
    const Packet& packet, const node::Route& route, const node::Device& device) const {
  const IpAddress next_hop = route.via.value_or(packet.inner.destination);
  const bool has_configured_far_end = device.remote || route.tunnel_destination;
  const bool resolves =
      device.kind == node::DeviceKind::Vxlan && (route.via || !has_configured_far_end);
  const node::Member* peer = resolves ? context_.lookup.neighbour(next_hop) : nullptr;
  if (device.remote) return {device.remote, peer};
  if (route.tunnel_destination) return {route.tunnel_destination, peer};
  if (device.kind == node::DeviceKind::Ipip) return {next_hop};
  if (device.kind == node::DeviceKind::Sit) {
    const auto compatible = ipv4_in_compatible(next_hop);
    return {compatible ? std::optional<IpAddress>(*compatible) : std::nullopt};
  }
  if (device.kind == node::DeviceKind::Wireguard) {
    peer = node::allowed_peer(context_.state(), device, packet.inner.destination);
  }
  const node::MemberAddresses* addresses = peer == nullptr ? nullptr : peer->in(device.underlay);
  if (addresses == nullptr) return {};
  return {addresses->node, peer};
}

/// Sends a packet into a tunnel (ip_tunnel_xmit, ip6_tnl_xmit, vxlan_xmit_one, geneve_xmit_skb,
/// wg_xmit): adds the outer header, looks the outer destination up and checks the outer MTU.
/// Failures of the outer packet cause no ICMP error.
template <typename Lookup, typename Observer>
void NodeOutput<Lookup, Observer>::tunnel(const Packet& packet, const node::RouteMatch& match,
                                          const node::Device& device) {
  const Encapsulation encapsulation = device.encapsulation();
  // A tunnel in a tunnel: a packet in transit whose outer destination is routed into a tunnel.
  if (packet.is_encapsulated() || !carries(encapsulation, packet.inner.family())) {
    return context_.drop(Drop::UnsupportedProtocol, packet, &match, &device);
  }
  const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
  const auto [destination, peer] = far_end(packet, match.route, device);
  if (!destination || !runs_over(encapsulation, destination->family())) {
    // The sender gets an ICMP error if the neighbour's resolution fails (arp_error_report), or if
    // no WireGuard peer allows the destination (wg_xmit).
    if (is_wireguard || device.kind == node::DeviceKind::Vxlan)
      answer(IcmpReason::HostUnreachable, packet);
    return context_.drop(is_wireguard ? Drop::AllowedIps : Drop::NoNeighbour, packet, &match,
                         &device);
  }
  const Family underlay = destination->family();
  const auto source = context_.state().address(underlay);
  if (!source || context_.lookup.is_local(*destination)) {
    return context_.drop(Drop::UnreachableRoute, packet, &match, &device);
  }
  // ip6_tnl_addr_conflict.
  if (encapsulation == Encapsulation::Ip6Tnl && packet.inner.source == *destination) {
    return context_.drop(Drop::TunnelLoop, packet, &match, &device);
  }
  const std::uint32_t mtu = node::mtu_by(match.route, device.mtu);
  Packet wrapped = packet;
  encapsulate(wrapped, encapsulation,
              {.source = *source,
               .destination = *destination,
               .vni = is_wireguard ? node::wireguard_index(context_.state()) : device.vni,
               .destination_port = device.udp_port,
               .mtu = mtu});
  if (wrapped.outer.total_length > largest_packet(underlay)) {
    return context_.drop(Drop::MtuExceeded, packet, &match, &device);
  }
  if (const auto refused =
          context_.observer.encapsulated(wrapped, {match.route, device, mtu, peer})) {
    return context_.drop(*refused, packet, &match, &device);
  }
  const auto outer_match = usable_route(wrapped, Origin::Node);
  if (outer_match && outer_match->route.device == device.name) {
    return context_.drop(Drop::TunnelLoop, wrapped, &*outer_match, &device);
  }
  if (!outer_match || exceeds_path_mtu(packet, wrapped, *outer_match)) return;
  if (underlay == Family::Ipv4) {
    wrapped.outer.identification = context_.runtime.identification.next(*destination);
  }
  if (!tracking_.track(context_, wrapped, Origin::Node)) return;
  context_.sealing_mtu = is_wireguard ? mtu : 0;
  send(wrapped, *outer_match, Origin::Node);
  context_.sealing_mtu = 0;
}

/// Handles an outer packet that exceeds the MTU of its path. The tunnel lowers the path MTU of the
/// inner destination (tnl_update_pmtu, skb_tunnel_check_pmtu). Two tunnels also send an ICMP error
/// to the inner sender and drop the packet: tunl0 if the outer packet has inherited DF from the
/// inner one (net/ipv4/ip_tunnel.c), and ip6tnl always (ip6_tnl_xmit, net/ipv6/ip6_tunnel.c). VXLAN
/// and Geneve over IPv4, and sit0, fragment the outer packet. VXLAN and Geneve over IPv6 lose it,
/// since ip6_fragment needs the sender's permission. WireGuard sends no ICMP error and fragments
/// over both families: it sets ignore_df, which iptunnel_xmit clears and ip6tunnel_xmit does not.
/// Returns true if the packet is finished.
template <typename Lookup, typename Observer>
bool NodeOutput<Lookup, Observer>::exceeds_path_mtu(const Packet& packet, const Packet& wrapped,
                                                    const node::RouteMatch& outer_match) {
  if (wrapped.encapsulation == Encapsulation::Wireguard) return false;
  const Family underlay = wrapped.outer.family();
  const std::uint32_t mtu =
      mtu_of(outer_match, egress_mtu(outer_match, underlay), wrapped, Origin::Node);
  if (wrapped.outer.total_length <= mtu) return false;
  const bool merges_df = wrapped.encapsulation == Encapsulation::Ipip &&
                         context_.state().kernel.tunnel_pmtu_honours_inner_df &&
                         wrapped.outer.dont_fragment;
  const std::uint32_t room = mtu - overhead(wrapped.encapsulation, underlay);
  if (wrapped.encapsulation != Encapsulation::Sit) {
    context_.runtime.path_mtus.learn(packet.inner.destination, room, context_.now);
  }
  const bool is_udp_over_ipv6 = wrapped.outer.protocol == kUdp && underlay == Family::Ipv6;
  if (is_udp_over_ipv6) {
    context_.drop(Drop::MtuExceeded, wrapped, &outer_match);
    return true;
  }
  if (!merges_df && wrapped.encapsulation != Encapsulation::Ip6Tnl) return false;
  answer(IcmpReason::PacketTooBig, packet, room);
  context_.drop(Drop::MtuExceeded, wrapped, &outer_match);
  return true;
}

template <typename Lookup, typename Observer>
std::uint32_t NodeOutput<Lookup, Observer>::egress_mtu(const node::RouteMatch& match,
                                                       Family family) const {
  if (match.pod != nullptr) return match.pod->mtu;
  const node::Device* device = context_.lookup.device(match.route.device);
  return device == nullptr ? min_mtu(family) : device->mtu;
}

template <typename Lookup, typename Observer>
void NodeOutput<Lookup, Observer>::refuse(Drop reason, IcmpReason icmp, const Packet& packet,
                                          const node::RouteMatch* match, Origin origin) {
  if (origin == Origin::Forwarded) {
    const IpAddress source = packet.outermost().source;
    if (!context_.state().sysctls.route_error_cost ||
        context_.runtime.icmp_limit.allow_route_error(source, context_.now)) {
      answer(icmp, packet);
    } else {
      context_.observer.held_back(source);
    }
  }
  context_.drop(reason, packet, match);
}

template <typename Lookup, typename Observer>
void NodeOutput<Lookup, Observer>::answer(IcmpReason reason, const Packet& cause,
                                          std::uint32_t detail) {
  const IpAddress destination = cause.outermost().source;
  const auto match = context_.lookup.route(destination);
  if (!match || match->route.kind != node::RouteKind::Unicast ||
      context_.lookup.is_local(destination)) {
    return;
  }
  const Family family = destination.family();
  const node::Device* device = context_.lookup.device(match->route.device);
  auto source = device == nullptr ? std::nullopt : device->address(family);
  if (!source) source = context_.state().address(family);
  if (context_.lookup.is_local(cause.outermost().destination))
    source = cause.outermost().destination;
  if (!source) return;
  auto error = icmp_error(reason, cause, *source, detail);
  if (!error || !may_answer(*error->icmp, destination, *match)) return;
  if (family == Family::Ipv4) {
    error->inner.identification = context_.runtime.identification.next(destination);
  }
  context_.observer.answered(*error, cause);
  const auto cause_track = tracking_.take();
  fragments_.forget();
  context_.is_answering = true;
  if (tracking_.track_answer(context_, *error, cause_track)) send(*error, *match, Origin::Node);
  context_.is_answering = false;
  context_.observer.answer_ended();
  tracking_.put_back(cause_track);
}

/// Returns whether the rate limits of ICMP errors, per destination and per node, allow this one.
template <typename Lookup, typename Observer>
bool NodeOutput<Lookup, Observer>::may_answer(const IcmpError& error, IpAddress destination,
                                              const node::RouteMatch& match) {
  if (!context_.state().sysctls.icmp_ratelimit) return true;
  if (context_.runtime.icmp_limit.allow(error.type, error.code, destination,
                                        match.destination.length(), context_.now)) {
    return true;
  }
  context_.observer.held_back(destination);
  return false;
}

}  // namespace overlane::forward

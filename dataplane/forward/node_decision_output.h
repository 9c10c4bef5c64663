#pragma once

#include <utility>

#include "dataplane/forward/node_decision.h"

namespace overlane::forward {

// Second half of NodeDecision (node_decision.h): connection tracking and NAT of nf_conntrack
// and nf_nat, Services as kube-proxy's rules translate them, and the way out of a node (MTU,
// fragmentation, the outer headers of tunnels, ICMP errors). Include node_decision.h instead of
// this file.

/// raw and conntrack at PREROUTING and OUTPUT, and the translation of destinations there: finds the
/// packet's place in its connection. False when it was dropped.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::track(Packet& packet, Origin origin) {
  track_.reset();
  if (!must_track(packet)) return true;
  if (packet.outermost().is_fragment() || is_untracked(packet, origin)) return true;
  node::ConntrackTable& connections = runtime_.connections;
  if (packet.icmp && !packet.is_encapsulated()) {
    if (packet.transport_fault) return true;
    track_ = connections.track_error(quoted_tuple(*packet.icmp), packet.inner.destination, now_);
  } else if (const auto tuple = tuple_of(packet)) {
    const std::uint8_t flags = packet.is_encapsulated() ? std::uint8_t{0} : packet.tcp_flags;
    const node::Service* service = service_of(*tuple);
    track_ = connections.follow(*tuple, flags, now_);
    if (!track_ && (filter()->tracking == node::Tracking::All || service != nullptr)) {
      track_ = connections.open(*tuple, flags);
    }
    if (service != nullptr && track_ && track_->is_unconfirmed) redirect(*service, *tuple);
  }
  if (!track_ || !track_->is_tracked()) return true;
  if (track_->drop) {
    drop(*track_->drop, packet);
    return false;
  }
  translate_tracked(packet, Side::Destination);
  return true;
}

/// OUTPUT of an ICMP error of the node's own: it is related to the connection of the packet that it
/// reports on, also before that connection is confirmed (nf_ct_attach). False if it is dropped.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::track_answer(Packet& error,
                                                  const std::optional<node::Track>& cause) {
  if (!cause || !cause->is_tracked()) return track(error, Origin::Node);
  const bool is_answer = cause->direction == node::Direction::Original;
  track_ = node::Track{.state = node::TrackState::Related,
                       .direction = is_answer ? node::Direction::Reply : node::Direction::Original,
                       .original = cause->original,
                       .reply = cause->reply};
  translate_tracked(error, Side::Destination);
  return true;
}

/// NOTRACK, for what the node itself sends or receives.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::is_untracked(const Packet& packet, Origin origin) const {
  const std::uint16_t port =
      packet.is_encapsulated() ? packet.outer_destination_port : packet.destination_port;
  return node::is_untracked(*filter(), packet.outermost().protocol, port) &&
         (origin == Origin::Node || lookup_.is_local(packet.outermost().destination));
}

/// The rule that takes a connection opening with this packet, if one is.
template <typename Lookup, typename Observer>
std::optional<node::Masquerade> NodeDecision<Lookup, Observer>::masquerade_rule(
    const Packet& packet, const node::Device* device) const {
  if (track_ && !track_->is_unconfirmed) return std::nullopt;
  if (device == nullptr) return marked(packet, device);
  const IpFields& header = packet.outermost();
  const auto& tunnels = filter()->tunnel_devices;
  const bool is_tunnel = std::ranges::find(tunnels, device->name) != tunnels.end();
  const auto rule = node::masquerade(
      *filter(), {.source = header.source,
                  .destination = header.destination,
                  .protocol = header.protocol,
                  .device = device->name,
                  .device_address = device->address(header.family()),
                  .source_is_local = is_tunnel && lookup_.is_local(header.source)});
  return rule ? rule : marked(packet, device);
}

/// POSTROUTING: a connection that opens is masqueraded when a rule says so, what goes its way is
/// translated, and the connection is remembered. False when the packet was dropped.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::masquerade(Packet& packet,
                                                const std::optional<node::Masquerade>& masquerade,
                                                const node::RouteMatch& match,
                                                const node::Device* device) {
  if (!track_->is_tracked()) return true;
  if (masquerade && !track_->drop) {
    track_->drop =
        runtime_.connections.masquerade(*track_, masquerade->translation, match.route.device);
  }
  if (!track_->drop) {
    track_->drop = runtime_.connections.confirm(*track_, match.route.device, now_);
  }
  if (track_->drop) {
    drop(*track_->drop, packet, &match, device);
    return false;
  }
  translate_tracked(packet, Side::Source, masquerade);
  return true;
}

/// The end of INPUT: the connection of what the node takes is remembered. False when the packet was
/// dropped.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::remember(Packet& packet) {
  if (tracks() && !track_ && takes_answers(*filter(), packet, true)) {
    open(packet, Origin::Forwarded);
  }
  if (!track_ || !track_->is_tracked()) return true;
  const auto refused =
      track_->drop ? track_->drop : runtime_.connections.confirm(*track_, {}, now_);
  if (refused) {
    drop(*refused, packet);
    return false;
  }
  translate_tracked(packet, Side::Source);
  return true;
}

/// For node::Tracking::Translated, which looks at a new connection only when a rule takes it, or
/// its answers.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::open(const Packet& packet, Origin origin) {
  if (filter()->tracking != node::Tracking::Translated) return;
  if (packet.outermost().is_fragment() || is_untracked(packet, origin)) return;
  if (packet.icmp && !packet.is_encapsulated()) return;
  const auto tuple = tuple_of(packet);
  if (!tuple) return;
  track_ = runtime_.connections.open(*tuple,
                                     packet.is_encapsulated() ? std::uint8_t{0} : packet.tcp_flags);
}

template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::translate_tracked(
    Packet& packet, Side side, const std::optional<node::Masquerade>& masquerade) {
  if (!track_->is_translated()) return;
  const Packet before = packet;
  if (!translate(packet, *track_, side) || packet == before) return;
  observer_.translated(
      before, packet, {*track_, side, masquerade ? std::optional(masquerade->rule) : std::nullopt});
}

/// The Service that a connection opening with such a packet goes to, if that has endpoints and
/// packets bear its address. IPVS finds it in INPUT and sends what it has translated past FORWARD:
/// here it stands where iptables' rules do, and only the state's ip_forward tells the difference.
template <typename Lookup, typename Observer>
const node::Service* NodeDecision<Lookup, Observer>::service_of(
    const node::ConntrackTuple& tuple) const {
  const node::ServiceTable* table = services();
  if (table == nullptr || table->translates_at_socket(tuple.protocol)) return nullptr;
  const node::Service* service =
      table->find({tuple.destination, tuple.destination_port, tuple.protocol});
  return service == nullptr || service->endpoints.empty() ? nullptr : service;
}

/// KUBE-SERVICES of nat's PREROUTING and OUTPUT, for the connection that track_ opens.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::redirect(const node::Service& service,
                                              const node::ConntrackTuple& tuple) {
  const auto choice = node::choose_endpoint(*services(), service, tuple, runtime_.service_turns);
  if (!choice) return;
  node::ConntrackTable::redirect(*track_, choice->endpoint.address, choice->endpoint.port);
  track_->is_marked = choice->masqueraded;
}

/// KUBE-POSTROUTING, behind Felix's rules. MASQUERADE takes the address of the device that the
/// packet leaves through, or, as a pod's veth has none, the node's (inet_select_addr).
template <typename Lookup, typename Observer>
std::optional<node::Masquerade> NodeDecision<Lookup, Observer>::marked(
    const Packet& packet, const node::Device* device) const {
  if (!track_ || !track_->is_marked) return std::nullopt;
  const Family family = packet.outermost().family();
  auto address = device == nullptr ? std::nullopt : device->address(family);
  if (!address) address = lookup_.state().address(family);
  if (!address) return std::nullopt;
  return node::Masquerade{{.by = node::MasqueradeRule::By::Mark},
                          {.source = *address, .random_fully = true}};
}

/// Whether the packet was refused there, as no endpoint takes it; its sender hears of it.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::is_refused(const Packet& packet, node::ServiceRefusal where) {
  if (packet.icmp || packet.is_encapsulated() || !is_to_service(packet)) return false;
  const IpFields& header = packet.inner;
  const node::ServicePort front{header.destination, packet.destination_port, header.protocol};
  if (node::refusal(*services(), front) != where) return false;
  answer(IcmpReason::PortUnreachable, packet);
  drop(Drop::NoEndpoints, packet, {.service = services()->find(front)});
  return true;
}

template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::send(const Packet& packet, const node::RouteMatch& match,
                                          Origin origin) {
  if (match.pod != nullptr) {
    return fit(packet, match, nullptr, mtu_of(match, match.pod->mtu, packet, origin), origin,
               [&](const Packet& fragment) {
                 emit(Egress::Pod, fragment, fragment.outermost().destination);
               });
  }
  const node::Device* device = lookup_.device(match.route.device);
  if (device == nullptr) return drop(Drop::NoDevice, packet, &match);
  const std::uint32_t mtu = mtu_of(match, device->mtu, packet, origin);
  switch (device->kind) {
    case node::DeviceKind::Loopback:
      return drop(Drop::UnreachableRoute, packet, &match, device);
    case node::DeviceKind::Uplink:
      return fit(packet, match, device, mtu, origin, [&](const Packet& fragment) {
        emit(Egress::Uplink, fragment, match.route.via.value_or(fragment.outermost().destination));
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

/// ip_dst_mtu_maybe_forward (include/net/ip.h) and ip6_dst_mtu_maybe_forward: node::mtu_by(), but
/// learned path MTUs count for the node's own packets, in IPv6 for forwarded ones too, in IPv4 for
/// those only when locked.
template <typename Lookup, typename Observer>
std::uint32_t NodeDecision<Lookup, Observer>::mtu_of(const node::RouteMatch& match,
                                                     std::uint32_t device_mtu, const Packet& packet,
                                                     Origin origin) const {
  const IpAddress destination = packet.outermost().destination;
  std::uint32_t mtu = node::mtu_by(match.route, device_mtu);
  const auto learned = runtime_.path_mtus.find(destination, now_);
  const bool counts = origin == Origin::Node || !destination.is_ipv4();
  if (learned && (counts || learned->locked)) mtu = std::min(mtu, learned->mtu);
  return std::max(mtu, smallest_mtu(destination.family()));
}

/// Whether a packet fits the MTU or may be cut. One that was put together must have come as
/// fragments that fit (ip_exceeds_mtu and ip_fragment, ip6_pkt_too_big and ip6_fragment).
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::may_go_on(const Packet& packet, std::uint32_t mtu,
                                               const CameAsFragments* fragments,
                                               Origin origin) const {
  const IpFields& header = packet.outermost();
  if (header.total_length <= mtu) return true;
  if (fragments != nullptr) return !header.must_stay_whole() || fragments->largest <= mtu;
  return !header.dont_fragment && (origin == Origin::Node || !header.must_stay_whole());
}

/// Answers and drops what is too large; else calls `next` with the packet, or its fragments, as it
/// leaves POSTROUTING.
template <typename Lookup, typename Observer>
template <typename Next>
void NodeDecision<Lookup, Observer>::fit(const Packet& packet, const node::RouteMatch& match,
                                         const node::Device* device, std::uint32_t mtu,
                                         Origin origin, Next next) {
  const auto fragments = std::exchange(came_as_fragments_, std::nullopt);
  if (!may_go_on(packet, mtu, fragments ? &*fragments : nullptr, origin)) {
    if (origin == Origin::Forwarded) {
      // ip_forward and ip6_forward look at the size before they take one off the hop limit.
      Packet cause = packet;
      ++cause.outermost().ttl;
      answer(IcmpReason::PacketTooBig, cause, mtu);
    }
    return drop(Drop::MtuExceeded, packet, &match, device);
  }
  if (is_refused(packet, node::ServiceRefusal::AtForwarding)) return;
  const auto leave = [&](const Packet& leaving) {
    if (fragments) return cut_again(leaving, match, device, mtu, *fragments, next);
    if (leaving.outermost().total_length <= mtu) return next(leaving);
    cut(leaving, match, device, mtu, next);
  };
  const auto rule = tracks() ? masquerade_rule(packet, device) : std::nullopt;
  if (tracks() && !track_ && (rule || takes_answers(*filter(), packet, false))) {
    open(packet, origin);
  }
  if (!track_) return leave(packet);
  Packet leaving = packet;
  if (masquerade(leaving, rule, match, device)) leave(leaving);
}

template <typename Lookup, typename Observer>
template <typename Next>
void NodeDecision<Lookup, Observer>::cut(const Packet& packet, const node::RouteMatch& match,
                                         const node::Device* device, std::uint32_t mtu, Next next) {
  const IpFields& header = packet.outermost();
  observer_.fragmented(packet, mtu, match, device);
  if (header.is_ipv4()) return fragment(packet, mtu, next);
  Packet numbered = packet;
  numbered.outermost().identification = runtime_.identification.next(header.destination);
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
void NodeDecision<Lookup, Observer>::cut_again(const Packet& packet, const node::RouteMatch& match,
                                               const node::Device* device, std::uint32_t mtu,
                                               const CameAsFragments& fragments, Next next) {
  const IpFields& header = packet.outermost();
  const bool ipv4 = header.is_ipv4();
  const bool is_tunnel = device != nullptr && device->encapsulation() != Encapsulation::None;
  const bool as_came = !is_tunnel && fragments.largest <= mtu;
  std::uint32_t limit = std::min(mtu, fragments.largest);
  if (!ipv4 && !as_came) limit = std::max(limit, smallest_mtu(Family::Ipv6));
  if (!ipv4 && header.total_length <= limit) return next(packet);
  if (!as_came) return cut(packet, match, device, limit, next);
  observer_.taken_apart(packet, fragments.ends.size());
  Packet numbered = packet;
  if (!ipv4) {
    numbered.outermost().identification = runtime_.identification.next(header.destination);
  }
  fragment_as_came(std::move(numbered), fragments, next);
}

/// Where the outer packet goes: the device's `remote`, the route's `encap ip dst`, VXLAN's
/// neighbour and forwarding database entry, WireGuard's peer, or the next hop of tunl0 and sit0.
template <typename Lookup, typename Observer>
typename NodeDecision<Lookup, Observer>::FarEnd NodeDecision<Lookup, Observer>::far_end(
    const Packet& packet, const node::Route& route, const node::Device& device) const {
  const IpAddress next_hop = route.via.value_or(packet.inner.destination);
  const bool is_told = device.remote || route.tunnel_destination;
  const bool resolves = device.kind == node::DeviceKind::Vxlan && (route.via || !is_told);
  const node::Member* peer = resolves ? lookup_.neighbour(next_hop) : nullptr;
  if (device.remote) return {device.remote, peer};
  if (route.tunnel_destination) return {route.tunnel_destination, peer};
  if (device.kind == node::DeviceKind::Ipip) return {next_hop};
  if (device.kind == node::DeviceKind::Sit) {
    const auto compatible = ipv4_in_compatible(next_hop);
    return {compatible ? std::optional<IpAddress>(*compatible) : std::nullopt};
  }
  if (device.kind == node::DeviceKind::Wireguard) {
    peer = node::allowed_peer(lookup_.state(), device, packet.inner.destination);
  }
  const node::MemberAddresses* addresses = peer == nullptr ? nullptr : peer->in(device.underlay);
  if (addresses == nullptr) return {};
  return {addresses->node, peer};
}

/// ip_tunnel_xmit, ip6_tnl_xmit, vxlan_xmit_one, geneve_xmit_skb, wg_xmit: outer header, second
/// lookup, outer MTU. What fails on the outer side fails silently.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::tunnel(const Packet& packet, const node::RouteMatch& match,
                                            const node::Device& device) {
  const Encapsulation encapsulation = device.encapsulation();
  // A tunnel in a tunnel: a packet in transit whose outer destination is routed into a tunnel.
  if (packet.is_encapsulated() || !carries(encapsulation, packet.inner.family())) {
    return drop(Drop::UnsupportedProtocol, packet, &match, &device);
  }
  const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
  const auto [destination, peer] = far_end(packet, match.route, device);
  if (!destination || !runs_over(encapsulation, destination->family())) {
    // The neighbour's resolution fails, which the sender hears of (arp_error_report), as it does of
    // a packet that no peer is for (wg_xmit).
    if (is_wireguard || device.kind == node::DeviceKind::Vxlan)
      answer(IcmpReason::HostUnreachable, packet);
    return drop(is_wireguard ? Drop::AllowedIps : Drop::NoNeighbour, packet, &match, &device);
  }
  const Family underlay = destination->family();
  const auto source = lookup_.state().address(underlay);
  if (!source || lookup_.is_local(*destination)) {
    return drop(Drop::UnreachableRoute, packet, &match, &device);
  }
  // ip6_tnl_addr_conflict.
  if (encapsulation == Encapsulation::Ip6Tnl && packet.inner.source == *destination) {
    return drop(Drop::TunnelLoop, packet, &match, &device);
  }
  const std::uint32_t mtu = node::mtu_by(match.route, device.mtu);
  Packet wrapped = packet;
  encapsulate(wrapped, encapsulation,
              {.source = *source,
               .destination = *destination,
               .vni = is_wireguard ? node::wireguard_index(lookup_.state()) : device.vni,
               .destination_port = device.udp_port,
               .mtu = mtu});
  if (wrapped.outer.total_length > largest_packet(underlay)) {
    return drop(Drop::MtuExceeded, packet, &match, &device);
  }
  if (const auto refused = observer_.encapsulated(wrapped, {match.route, device, mtu, peer})) {
    return drop(*refused, packet, &match, &device);
  }
  const auto outer_match = usable_route(wrapped, Origin::Node);
  if (outer_match && outer_match->route.device == device.name) {
    return drop(Drop::TunnelLoop, wrapped, &*outer_match, &device);
  }
  if (!outer_match || exceeds_path_mtu(packet, wrapped, *outer_match)) return;
  if (underlay == Family::Ipv4) {
    wrapped.outer.identification = runtime_.identification.next(*destination);
  }
  if (!track(wrapped, Origin::Node)) return;
  sealing_mtu_ = is_wireguard ? mtu : 0;
  send(wrapped, *outer_match, Origin::Node);
  sealing_mtu_ = 0;
}

/// When the outer path's MTU does not hold the outer packet, the tunnel lowers that of the inner
/// destination (tnl_update_pmtu, skb_tunnel_check_pmtu), and some tell the inner sender at once and
/// drop: tunl0 (net/ipv4/ip_tunnel.c) about an inner packet with DF, merged first; ip6tnl
/// (ip6_tnl_xmit, net/ipv6/ip6_tunnel.c) about every one. VXLAN, Geneve and sit0 send the outer
/// packet in fragments, but over IPv6, where ip6_fragment wants the sender's leave, it is lost.
/// WireGuard sends no ICMP error but fragments over both (it sets ignore_df, which
/// iptunnel_xmit clears and ip6tunnel_xmit does not). True when the packet goes no further.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::exceeds_path_mtu(const Packet& packet, const Packet& wrapped,
                                                      const node::RouteMatch& outer_match) {
  if (wrapped.encapsulation == Encapsulation::Wireguard) return false;
  const Family underlay = wrapped.outer.family();
  const std::uint32_t mtu =
      mtu_of(outer_match, egress_mtu(outer_match, underlay), wrapped, Origin::Node);
  if (wrapped.outer.total_length <= mtu) return false;
  const bool merges_df = wrapped.encapsulation == Encapsulation::Ipip &&
                         lookup_.state().kernel.tunnel_pmtu_honours_inner_df &&
                         wrapped.outer.dont_fragment;
  const std::uint32_t room = mtu - overhead(wrapped.encapsulation, underlay);
  if (wrapped.encapsulation != Encapsulation::Sit) {
    runtime_.path_mtus.learn(packet.inner.destination, room, now_);
  }
  const bool is_udp_over_ipv6 = wrapped.outer.protocol == kUdp && underlay == Family::Ipv6;
  if (is_udp_over_ipv6) {
    drop(Drop::MtuExceeded, wrapped, &outer_match);
    return true;
  }
  if (!merges_df && wrapped.encapsulation != Encapsulation::Ip6Tnl) return false;
  answer(IcmpReason::PacketTooBig, packet, room);
  drop(Drop::MtuExceeded, wrapped, &outer_match);
  return true;
}

template <typename Lookup, typename Observer>
std::uint32_t NodeDecision<Lookup, Observer>::egress_mtu(const node::RouteMatch& match,
                                                         Family family) const {
  if (match.pod != nullptr) return match.pod->mtu;
  const node::Device* device = lookup_.device(match.route.device);
  return device == nullptr ? smallest_mtu(family) : device->mtu;
}

/// Drops a packet that no route takes; who sent it hears of it, the node itself without ICMP.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::refuse(Drop reason, IcmpReason icmp, const Packet& packet,
                                            const node::RouteMatch* match, Origin origin) {
  if (origin == Origin::Forwarded) {
    const IpAddress source = packet.outermost().source;
    if (!lookup_.state().sysctls.route_error_cost ||
        runtime_.icmp_limit.allow_route_error(source, now_)) {
      answer(icmp, packet);
    } else {
      observer_.held_back(source);
    }
  }
  drop(reason, packet, match);
}

/// Sends an ICMP error about `cause` to its source, as a packet of the node's own (icmp_send): from
/// the address that the cause was sent to if that is the node's, else from the egress device's.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::answer(IcmpReason reason, const Packet& cause,
                                            std::uint32_t detail) {
  const IpAddress destination = cause.outermost().source;
  const auto match = lookup_.route(destination);
  if (!match || match->route.kind != node::RouteKind::Unicast || lookup_.is_local(destination)) {
    return;
  }
  const Family family = destination.family();
  const node::Device* device = lookup_.device(match->route.device);
  auto source = device == nullptr ? std::nullopt : device->address(family);
  if (!source) source = lookup_.state().address(family);
  if (lookup_.is_local(cause.outermost().destination)) source = cause.outermost().destination;
  if (!source) return;
  auto error = icmp_error(reason, cause, *source, detail);
  if (!error || !may_answer(*error->icmp, destination, *match)) return;
  if (family == Family::Ipv4) {
    error->inner.identification = runtime_.identification.next(destination);
  }
  observer_.answered(*error, cause);
  const auto cause_track = std::exchange(track_, std::nullopt);
  came_as_fragments_.reset();
  answering_ = true;
  if (track_answer(*error, cause_track)) send(*error, *match, Origin::Node);
  answering_ = false;
  observer_.answer_ended();
  track_ = cause_track;
}

/// Whether the limits of what is sent to a destination, and to all, let an error out.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::may_answer(const IcmpError& error, IpAddress destination,
                                                const node::RouteMatch& match) {
  if (!lookup_.state().sysctls.icmp_ratelimit) return true;
  if (runtime_.icmp_limit.allow(error.type, error.code, destination, match.destination.length(),
                                now_)) {
    return true;
  }
  observer_.held_back(destination);
  return false;
}

}  // namespace overlane::forward

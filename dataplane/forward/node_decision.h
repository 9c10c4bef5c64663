#pragma once

#include <algorithm>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// NodeDecision is the decision sequence of a node, in the order of Linux: ingress (from a pod,
// from the uplink, from the node itself), PREROUTING (defragmentation, raw and conntrack,
// DNAT), routing, INPUT and decapsulation or ip_forward, then POSTROUTING and egress, perhaps
// through a tunnel and once more. It is one class, written down in two headers: this one has
// the class and the way in (ingress, fragments, routing, delivery to the node);
// node_decision_output.h, included at the end, has connections and Services, and the way out
// (MTU, fragmentation, tunnels, ICMP errors). The tables come from a Lookup and each decision
// is reported to an Observer, both template parameters, so that tracing, byte rewriting and
// compiling adjacencies run the code of the hot path. A NodeDecision serves one packet and is
// then thrown away; everything it refers to must outlive it.

/// The decision sequence of `forward` for a node.
///
/// Lookup answers what the node's tables say: `route(address)` → std::optional<node::RouteMatch>,
/// `device(name)`, `uplink()`, `receiving_device(key)`, `is_local(address)`, `neighbour(address)`
/// (the member behind a tunnel address), `is_member(address)` (whether it is a node's of the
/// cluster), and `state()` for what is not a table.
/// Observer hears of each decision (forward/step_observer.h shows the calls).
template <typename Lookup, typename Observer>
class NodeDecision {
 public:
  NodeDecision(const Lookup& lookup, Observer& observer, node::NodeRuntime& runtime, Picos now,
               Outcome& outcome)
      : lookup_(lookup), observer_(observer), runtime_(runtime), now_(now), outcome_(outcome) {}

  void run(const Packet& packet, Ingress ingress) {
    const IpFields& header = packet.outermost();
    if (header.total_length < header.header_bytes()) return drop(Drop::Malformed, packet);
    switch (ingress) {
      case Ingress::Pod:
        return enter(packet, nullptr);
      case Ingress::Uplink:
        return from_uplink(packet);
      case Ingress::Host:
        return from_host(packet);
    }
  }

  /// Sends the ICMP error about a packet whose fragments did not all come in time.
  void tell_of_timeout(const node::ReassemblyTable::Expired& lost);

  /// What its sender hears about a packet that left and whose next hop does not answer
  /// (arp_error_report, ndisc_error_report: ipv4_link_failure, ip6_link_failure). The node itself
  /// hears nothing, which is the sender of tunnel packets and of what is masqueraded.
  void tell_unreachable(const Packet& packet) { answer(IcmpReason::HostUnreachable, packet); }

 private:
  enum class Origin : std::uint8_t { Forwarded, Node };

  /// Felix accepts from a workload only what its own route leads back to, and no tunnel packets
  /// (felix/rules: raw PREROUTING RPF match, AllowIPIPPacketsFromWorkloads).
  bool is_admitted_from_pod(const Packet& packet) {
    const auto reverse = lookup_.route(packet.outermost().source);
    // A local route comes before the pod's own.
    const bool spoofed =
        !reverse || reverse->pod == nullptr || lookup_.is_local(packet.outermost().source);
    if (spoofed) drop(Drop::SourceSpoofed, packet, reverse ? &*reverse : nullptr);
    if (!spoofed && packet.is_encapsulated()) drop(Drop::PacketFilter, packet);
    if (spoofed || packet.is_encapsulated()) return false;
    observer_.admitted(packet, *reverse);
    return true;
  }

  void from_uplink(const Packet& packet) {
    const node::Device* uplink = lookup_.uplink();
    if (uplink == nullptr) return drop(Drop::NoDevice, packet);
    if (!uplink->up) return drop(Drop::DeviceDown, packet, nullptr, uplink);
    if (packet.outermost().total_length > uplink->receive_limit()) {
      return drop(Drop::ReceiveMtuExceeded, packet, nullptr, uplink);
    }
    enter(packet, uplink);
  }

  void from_host(const Packet& packet) {
    if (!must_track(packet) && !must_gather(packet)) return output(packet);
    Packet tracked = packet;
    if (gather(tracked, nullptr, Origin::Node) && track(tracked, Origin::Node)) output(tracked);
  }

  void output(const Packet& packet) {
    if (lookup_.is_local(packet.outermost().destination)) return receive(packet, nullptr);
    if (const auto match = usable_route(packet, Origin::Node)) send(packet, *match, Origin::Node);
  }

  /// PREROUTING. `device` is null for a pod's packet.
  void enter(const Packet& packet, const node::Device* device) {
    came_as_fragments_.reset();
    if (!must_gather(packet)) return prerouting(packet, device);
    Packet whole = packet;
    if (gather(whole, device, Origin::Forwarded)) prerouting(whole, device);
  }

  void prerouting(const Packet& packet, const node::Device* device) {
    if (device == nullptr && !is_admitted_from_pod(packet)) return;
    if (!must_track(packet)) {
      track_.reset();
      return input(packet, device);
    }
    Packet tracked = packet;
    if (!track(tracked, Origin::Forwarded)) return;
    if (device == nullptr && is_refused(tracked, node::ServiceRefusal::AtVeth)) return;
    input(tracked, device);
  }

  void input(const Packet& packet, const node::Device* device) {
    if (!lookup_.is_local(packet.outermost().destination)) return forward(packet, device);
    if (device != nullptr && !source_is_valid(packet, *device)) {
      return drop(Drop::RpFilter, packet, nullptr, device);
    }
    receive(packet, device);
  }

  /// ip_forward and ip6_forward.
  void forward(const Packet& packet, const node::Device* device) {
    const bool ipv4 = packet.outermost().is_ipv4();
    const node::Sysctls& sysctls = lookup_.state().sysctls;
    if (!(ipv4 ? sysctls.ip_forward : sysctls.ipv6_forwarding)) {
      return drop(Drop::NotLocal, packet);
    }
    const IpFields& header = packet.outermost();
    if (!is_forwardable(header.source) || !is_forwardable(header.destination)) {
      return drop(Drop::Martian, packet, nullptr, device);
    }
    const auto match = usable_route(packet, Origin::Forwarded);
    if (!match) return;
    if (is_broadcast(*match, header.destination)) return drop(Drop::Martian, packet, &*match);
    if (device != nullptr && !source_is_valid(packet, *device)) {
      return drop(Drop::RpFilter, packet, nullptr, device);
    }
    if (packet.outermost().ttl <= 1) {
      answer(IcmpReason::TimeExceeded, packet);
      return drop(Drop::TtlExpired, packet);
    }
    Packet next = packet;
    --next.outermost().ttl;
    send(next, *match, Origin::Forwarded);
  }

  /// The route for the outermost destination when it leads anywhere; else the drop.
  std::optional<node::RouteMatch> usable_route(const Packet& packet, Origin origin) {
    auto match = lookup_.route(packet.outermost().destination);
    if (!match) {
      refuse(Drop::NoRoute, IcmpReason::NoRoute, packet, nullptr, origin);
      return std::nullopt;
    }
    observer_.routed(packet, *match);
    switch (match->route.kind) {
      case node::RouteKind::Unicast:
        return match;
      case node::RouteKind::Blackhole:
        drop(Drop::BlackholeRoute, packet, &*match);
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

  /// fib_validate_source (net/ipv4/fib_frontend.c). A local source is never valid from outside.
  /// Strict: the way back leaves through this device. Loose: there is a way back, unless the device
  /// has no address of its own, which leaves only strict. IPv6 has no such filter.
  bool source_is_valid(const Packet& packet, const node::Device& device) const {
    const IpAddress source = packet.outermost().source;
    if (!source.is_ipv4()) return true;
    if (lookup_.is_local(source)) return false;
    const std::uint8_t mode = std::max(lookup_.state().sysctls.rp_filter_all, device.rp_filter);
    if (mode == 0) return true;
    const auto reverse = lookup_.route(source);
    if (!reverse || reverse->route.kind != node::RouteKind::Unicast) return false;
    if (reverse->route.device == device.name) return true;
    return mode != 1 && device.address(Family::Ipv4).has_value();
  }

  // The way out: node_decision_output.h.
  void send(const Packet& packet, const node::RouteMatch& match, Origin origin);
  std::uint32_t mtu_of(const node::RouteMatch& match, std::uint32_t device_mtu,
                       const Packet& packet, Origin origin) const;
  template <typename Next>
  void fit(const Packet& packet, const node::RouteMatch& match, const node::Device* device,
           std::uint32_t mtu, Origin origin, Next next);
  bool may_go_on(const Packet& packet, std::uint32_t mtu, const CameAsFragments* fragments,
                 Origin origin) const;
  template <typename Next>
  void cut(const Packet& packet, const node::RouteMatch& match, const node::Device* device,
           std::uint32_t mtu, Next next);
  template <typename Next>
  void cut_again(const Packet& packet, const node::RouteMatch& match, const node::Device* device,
                 std::uint32_t mtu, const CameAsFragments& fragments, Next next);
  void tunnel(const Packet& packet, const node::RouteMatch& match, const node::Device& device);
  /// Where a tunnel leads, and to whom, where a table said so.
  struct FarEnd {
    std::optional<IpAddress> address;
    const node::Member* peer = nullptr;
  };
  FarEnd far_end(const Packet& packet, const node::Route& route, const node::Device& device) const;
  bool exceeds_path_mtu(const Packet& packet, const Packet& wrapped,
                        const node::RouteMatch& outer_match);
  std::uint32_t egress_mtu(const node::RouteMatch& match, Family family) const;
  void refuse(Drop reason, IcmpReason icmp, const Packet& packet, const node::RouteMatch* match,
              Origin origin);
  void answer(IcmpReason reason, const Packet& cause, std::uint32_t detail = 0);
  bool may_answer(const IcmpError& error, IpAddress destination, const node::RouteMatch& match);

  // Packets for the node itself.
  void receive(const Packet& packet, const node::Device* device);
  const node::TunnelGuard* guard_of(const Packet& packet) const;
  void receive_tunnelled(const Packet& packet, const node::TunnelGuard* guard);
  std::optional<Drop> foreign_to_peer(const Packet& packet, const node::Device& device) const;
  void learn(const Packet& packet);

  // Fragments.
  bool must_gather(const Packet& packet) const {
    return packet.outermost().is_fragment() && tracks();
  }
  bool gather(Packet& packet, const node::Device* device, Origin origin);
  bool reassemble(Packet& packet, const node::Device* device);
  static node::Fragment fragment_of(const Packet& packet);
  static node::ReassemblyKey key_of(const IpFields& header) {
    return {header.source, header.destination, header.identification,
            header.is_ipv4() ? header.protocol : std::uint8_t{0}};
  }
  node::DeviceName device_name(const Packet& packet, const node::Device* device) const {
    return device == nullptr ? lookup_.state().pod_device(packet.outermost().source) : device->name;
  }
  bool put_together(Packet& packet, const node::Fragment& fragment);
  void answer_wrong_fragment(const Packet& packet, const node::Fragment& fragment);

  // Connections: node_decision_output.h.
  const node::PacketFilter* filter() const { return lookup_.state().filter.get(); }
  bool tracks() const { return filter() != nullptr && filter()->tracking != node::Tracking::Off; }
  /// Whether the connection of a packet matters before a rule is looked up.
  bool knows_connections() const {
    return tracks() &&
           (filter()->tracking == node::Tracking::All || runtime_.connections.size() > 0);
  }
  bool must_track(const Packet& packet) const {
    return knows_connections() || is_to_service(packet);
  }
  bool track(Packet& packet, Origin origin);
  bool track_answer(Packet& error, const std::optional<node::Track>& cause);
  bool is_untracked(const Packet& packet, Origin origin) const;
  std::optional<node::Masquerade> masquerade_rule(const Packet& packet,
                                                  const node::Device* device) const;
  bool masquerade(Packet& packet, const std::optional<node::Masquerade>& masquerade,
                  const node::RouteMatch& match, const node::Device* device);
  void open(const Packet& packet, Origin origin);
  bool remember(Packet& packet);
  void translate_tracked(Packet& packet, Side side,
                         const std::optional<node::Masquerade>& masquerade = std::nullopt);

  // Services: node_decision_output.h.
  const node::ServiceTable* services() const {
    return tracks() ? lookup_.state().services.get() : nullptr;
  }
  /// Whether the packet's destination is the address of a Service, at any port.
  bool is_to_service(const Packet& packet) const {
    return services() != nullptr && services()->has(packet.outermost().destination);
  }
  const node::Service* service_of(const node::ConntrackTuple& tuple) const;
  void redirect(const node::Service& service, const node::ConntrackTuple& tuple);
  std::optional<node::Masquerade> marked(const Packet& packet, const node::Device* device) const;
  bool is_refused(const Packet& packet, node::ServiceRefusal where);

  void emit(Egress egress, const Packet& packet, IpAddress next_hop) {
    observer_.emitted(egress, packet, next_hop);
    outcome_.emissions.push_back({egress, packet, next_hop, answering_, sealing_mtu_});
  }

  void drop(Drop reason, const Packet& packet, const node::RouteMatch* match = nullptr,
            const node::Device* device = nullptr) {
    drop(reason, packet, DropCause{.match = match, .device = device});
  }
  void drop(Drop reason, const Packet& packet, const DropCause& cause) {
    observer_.dropped(reason, packet, cause);
    if (!answering_) outcome_.drop = reason;
  }

  const Lookup& lookup_;
  Observer& observer_;
  node::NodeRuntime& runtime_;
  Picos now_;
  Outcome& outcome_;
  bool answering_ = false;         ///< Whether the packet at hand is the ICMP error.
  std::uint32_t sealing_mtu_ = 0;  ///< Emission::sealing_mtu, of what WireGuard sends.
  /// Fragments of the packet at hand, when the node reassembled it in transit.
  std::optional<CameAsFragments> came_as_fragments_;
  /// Place of the packet at hand in its connection; nothing when it was not looked up.
  std::optional<node::Track> track_;
};

/// What connection tracking does first, at PREROUTING and OUTPUT (ipv4_conntrack_defrag,
/// ipv6_defrag): makes `packet` the whole of which it is the last missing fragment; else holds or
/// drops it, and is false. An IPv6 fragment of uneven length ends its packet and goes on alone
/// (nf_ct_frag6_queue).
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::gather(Packet& packet, const node::Device* device,
                                            Origin origin) {
  came_as_fragments_.reset();
  if (!must_gather(packet)) return true;
  node::Fragment fragment = fragment_of(packet);
  const Family family = packet.outermost().family();
  if (node::is_uneven(family, fragment) && !node::ends_too_late(family, fragment)) {
    runtime_.reassembly.give_up(key_of(packet.outermost()));
    observer_.given_up(key_of(packet.outermost()));
    return true;
  }
  if (origin == Origin::Forwarded) fragment.device = device_name(packet, device);
  return put_together(packet, fragment);
}

/// Reassembles a packet for the node itself (ip_local_deliver, ipv6_frag_rcv).
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::reassemble(Packet& packet, const node::Device* device) {
  node::Fragment fragment = fragment_of(packet);
  fragment.device = device_name(packet, device);
  answer_wrong_fragment(packet, fragment);
  return put_together(packet, fragment);
}

template <typename Lookup, typename Observer>
node::Fragment NodeDecision<Lookup, Observer>::fragment_of(const Packet& packet) {
  const IpFields& header = packet.outermost();
  const bool outer = packet.is_encapsulated();
  node::Fragment fragment{
      .begin = header.fragment_offset,
      .end = header.fragment_offset + header.payload_bytes(),
      .last = !header.more_fragments,
      .header = {
          .protocol = header.protocol,
          .ttl = header.ttl,
          .tos = header.tos,
          .dont_fragment = header.dont_fragment,
          .option_bytes = header.option_bytes,
          .source_port = outer ? packet.outer_source_port : packet.source_port,
          .destination_port = outer ? packet.outer_destination_port : packet.destination_port}};
  if (outer) return fragment;
  fragment.header.tcp_flags = packet.tcp_flags;
  fragment.header.icmp = packet.icmp;
  return fragment;
}

template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::put_together(Packet& packet, const node::Fragment& fragment) {
  IpFields& header = packet.outermost();
  const node::Sysctls& sysctls = lookup_.state().sysctls;
  const node::ReassemblyKey key = key_of(header);
  auto result =
      runtime_.reassembly.add(key, fragment, now_, sysctls.reassembly_timeout(header.family()));
  if (result.given_up) observer_.given_up(key);
  if (result.drop) {
    drop(*result.drop, packet);
    return false;
  }
  if (!result.whole) {
    outcome_.held = key;
    observer_.held(packet, key);
    return false;
  }
  outcome_.completed.push_back(key);
  header.fragment_offset = 0;
  header.more_fragments = false;
  header.option_bytes = result.whole->option_bytes;
  header.total_length = header.header_bytes() + result.payload_bytes;
  header.ttl = result.whole->ttl;
  header.tos = result.whole->tos;
  header.dont_fragment = result.whole->dont_fragment;
  if (!header.is_ipv4()) header.identification = 0;
  if (!packet.is_encapsulated()) {
    packet.source_port = result.whole->source_port;
    packet.destination_port = result.whole->destination_port;
    packet.tcp_flags = result.whole->tcp_flags;
    packet.icmp = result.whole->icmp;
  }
  const std::uint32_t header_bytes =
      header.is_ipv4() ? kIpv4HeaderBytes : kIpv6HeaderBytes + kIpv6FragmentHeaderBytes;
  came_as_fragments_ =
      CameAsFragments{.ends = std::move(result.ends), .largest = header_bytes + result.largest};
  observer_.reassembled(packet, key);
  return true;
}

/// ip6_frag_queue: the pointer shows the payload length, or the offset in the fragment header.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::answer_wrong_fragment(const Packet& packet,
                                                           const node::Fragment& fragment) {
  constexpr std::uint32_t kPayloadLength = 4;
  constexpr std::uint32_t kFragmentOffset = kIpv6HeaderBytes + 2;
  const Family family = packet.outermost().family();
  if (node::ends_too_late(family, fragment)) {
    answer(IcmpReason::WrongField, packet, kFragmentOffset);
  } else if (node::is_uneven(family, fragment)) {
    answer(IcmpReason::WrongField, packet, kPayloadLength);
  }
}

/// ip_expire and ip6frag_expire_frag_queue: only with the first fragment, and while the device that
/// the last one came through is there. In IPv4 fragments in transit end silently.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::tell_of_timeout(const node::ReassemblyTable::Expired& lost) {
  if (!lost.first || lost.device.empty()) return;
  const node::FirstFragment& first = *lost.first;
  Packet cause{.inner = {.source = lost.key.source,
                         .destination = lost.key.destination,
                         .identification = lost.key.identification,
                         .option_bytes = first.option_bytes,
                         .more_fragments = true,
                         .protocol = first.protocol,
                         .ttl = first.ttl,
                         .tos = first.tos},
               .source_port = first.source_port,
               .destination_port = first.destination_port,
               .icmp = first.icmp};
  cause.inner.total_length = cause.inner.header_bytes() + lost.first_end;
  const node::Device* device = lookup_.device(lost.device);
  const bool from_pod =
      device == nullptr && lost.device == lookup_.state().pod_device(lost.key.source);
  if (device == nullptr && !from_pod) return;
  if (cause.inner.is_ipv4()) {
    if (!lookup_.is_local(lost.key.destination)) return;
    if (device != nullptr && !source_is_valid(cause, *device)) return;
  }
  answer(IcmpReason::ReassemblyTimeout, cause);
}

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

#include "dataplane/forward/node_decision_output.h"

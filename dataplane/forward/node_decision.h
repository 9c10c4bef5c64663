#pragma once

#include <algorithm>

#include "dataplane/forward/connection_tracking.h"
#include "dataplane/forward/decision_context.h"
#include "dataplane/forward/defragmentation.h"
#include "dataplane/forward/node_output.h"
#include "dataplane/forward/state_lookup.h"

namespace overlane::forward {

// The decision sequence of a node, in the order of Linux: ingress (from a pod, from the uplink,
// from the node itself), PREROUTING (defragmentation.h and connection_tracking.h), then either
// INPUT with decapsulation or ip_forward, then output (node_output.h), perhaps through a tunnel and
// once more. This file has the input side. The tables come from a Lookup, and an Observer receives
// each decision (decision_context.h). Both are template parameters, so that tracing, byte rewriting
// and compiling adjacencies run the code of the hot path. A NodeDecision serves one packet.
// Everything that it refers to must outlive it.

/// The decision sequence of `forward` for a node.
template <typename Lookup, typename Observer>
class NodeDecision {
 public:
  NodeDecision(const Lookup& lookup, Observer& observer, node::NodeRuntime& runtime, Picos now,
               Outcome& outcome)
      : output_({lookup, observer, runtime, now, outcome}) {}

  void run(const Packet& packet, Ingress ingress) {
    const IpFields& header = packet.outermost();
    if (header.total_length < header.header_bytes()) return context().drop(Drop::Malformed, packet);
    switch (ingress) {
      case Ingress::Pod:
        return enter(packet, nullptr);
      case Ingress::Uplink:
        return from_uplink(packet);
      case Ingress::Host:
        return from_host(packet);
    }
  }

  /// Sends the ICMP error about a packet whose reassembly has timed out.
  void report_timeout(const node::ReassemblyTable::Expired& lost);

  /// Sends the ICMP error about a packet that left and whose next hop does not answer
  /// (arp_error_report, ndisc_error_report: ipv4_link_failure, ip6_link_failure). If the node
  /// itself is the sender, as of tunnel packets and masqueraded packets, no error is sent.
  void report_unreachable(const Packet& packet) {
    output_.answer(IcmpReason::HostUnreachable, packet);
  }

 private:
  using Context = DecisionContext<Lookup, Observer>;
  Context& context() { return output_.context(); }
  const Context& context() const { return output_.context(); }
  ConnectionTracking& tracking() { return output_.tracking(); }
  Defragmentation& fragments() { return output_.fragments(); }

  /// Felix accepts a packet from a workload only if the route to its source leads back to the
  /// workload, and accepts no tunnel packets (felix/rules: raw PREROUTING RPF match,
  /// AllowIPIPPacketsFromWorkloads).
  bool is_admitted_from_pod(const Packet& packet) {
    const auto reverse = context().lookup.route(packet.outermost().source);
    // A local route has precedence over the pod's own route.
    const bool spoofed =
        !reverse || reverse->pod == nullptr || context().lookup.is_local(packet.outermost().source);
    if (spoofed) context().drop(Drop::SourceSpoofed, packet, reverse ? &*reverse : nullptr);
    if (!spoofed && packet.is_encapsulated()) context().drop(Drop::PacketFilter, packet);
    if (spoofed || packet.is_encapsulated()) return false;
    context().observer.admitted(packet, *reverse);
    return true;
  }

  void from_uplink(const Packet& packet) {
    const node::Device* uplink = context().lookup.uplink();
    if (uplink == nullptr) return context().drop(Drop::NoDevice, packet);
    if (!uplink->up) return context().drop(Drop::DeviceDown, packet, nullptr, uplink);
    if (packet.outermost().total_length > uplink->receive_limit()) {
      return context().drop(Drop::ReceiveMtuExceeded, packet, nullptr, uplink);
    }
    enter(packet, uplink);
  }

  void from_host(const Packet& packet) {
    if (!tracking().must_track(context(), packet) && !fragments().must_gather(context(), packet))
      return output(packet);
    Packet tracked = packet;
    if (fragments().gather(context(), tracked, nullptr, Origin::Node) &&
        tracking().track(context(), tracked, Origin::Node))
      output(tracked);
  }

  void output(const Packet& packet) {
    if (context().lookup.is_local(packet.outermost().destination)) return receive(packet, nullptr);
    if (const auto match = output_.usable_route(packet, Origin::Node))
      output_.send(packet, *match, Origin::Node);
  }

  /// PREROUTING. `device` is the ingress device; null for a pod's packet.
  void enter(const Packet& packet, const node::Device* device) {
    fragments().forget();
    if (!fragments().must_gather(context(), packet)) return prerouting(packet, device);
    Packet whole = packet;
    if (fragments().gather(context(), whole, device, Origin::Forwarded)) prerouting(whole, device);
  }

  void prerouting(const Packet& packet, const node::Device* device) {
    if (device == nullptr && !is_admitted_from_pod(packet)) return;
    if (!tracking().must_track(context(), packet)) {
      tracking().forget();
      return input(packet, device);
    }
    Packet tracked = packet;
    if (!tracking().track(context(), tracked, Origin::Forwarded)) return;
    if (device == nullptr && output_.is_refused(tracked, node::ServiceRefusal::AtVeth)) return;
    input(tracked, device);
  }

  void input(const Packet& packet, const node::Device* device) {
    if (!context().lookup.is_local(packet.outermost().destination)) return forward(packet, device);
    if (device != nullptr && !source_is_valid(packet, *device)) {
      return context().drop(Drop::RpFilter, packet, nullptr, device);
    }
    receive(packet, device);
  }

  /// Forwards a packet in transit (ip_forward and ip6_forward).
  void forward(const Packet& packet, const node::Device* device) {
    const bool ipv4 = packet.outermost().is_ipv4();
    const node::Sysctls& sysctls = context().state().sysctls;
    if (!(ipv4 ? sysctls.ip_forward : sysctls.ipv6_forwarding)) {
      return context().drop(Drop::NotLocal, packet);
    }
    const IpFields& header = packet.outermost();
    if (!is_forwardable(header.source) || !is_forwardable(header.destination)) {
      return context().drop(Drop::Martian, packet, nullptr, device);
    }
    const auto match = output_.usable_route(packet, Origin::Forwarded);
    if (!match) return;
    if (is_broadcast(*match, header.destination))
      return context().drop(Drop::Martian, packet, &*match);
    if (device != nullptr && !source_is_valid(packet, *device)) {
      return context().drop(Drop::RpFilter, packet, nullptr, device);
    }
    if (packet.outermost().ttl <= 1) {
      output_.answer(IcmpReason::TimeExceeded, packet);
      return context().drop(Drop::TtlExpired, packet);
    }
    Packet next = packet;
    --next.outermost().ttl;
    output_.send(next, *match, Origin::Forwarded);
  }

  /// The reverse path filter, fib_validate_source (net/ipv4/fib_frontend.c). A local address is
  /// never a valid source from outside. Strict mode requires that the route to the source leaves
  /// through this device. Loose mode requires a route to the source; a device without an address of
  /// its own is always strict. IPv6 has no such filter.
  bool source_is_valid(const Packet& packet, const node::Device& device) const {
    const IpAddress source = packet.outermost().source;
    if (!source.is_ipv4()) return true;
    if (context().lookup.is_local(source)) return false;
    const std::uint8_t mode = std::max(context().state().sysctls.rp_filter_all, device.rp_filter);
    if (mode == 0) return true;
    const auto reverse = context().lookup.route(source);
    if (!reverse || reverse->route.kind != node::RouteKind::Unicast) return false;
    if (reverse->route.device == device.name) return true;
    return mode != 1 && device.address(Family::Ipv4).has_value();
  }

  // Packets for the node itself.
  void receive(const Packet& packet, const node::Device* device);
  bool reassemble(Packet& packet, const node::Device* device) {
    return fragments().reassemble(context(), packet, device, [&](std::uint32_t field) {
      output_.answer(IcmpReason::WrongField, packet, field);
    });
  }
  const node::TunnelGuard* guard_of(const Packet& packet) const;
  void receive_tunnelled(const Packet& packet, const node::TunnelGuard* guard);
  std::optional<Drop> foreign_to_peer(const Packet& packet, const node::Device& device) const;
  void learn(const Packet& packet);

  NodeOutput<Lookup, Observer> output_;
};

/// Sends the error only if the first fragment has come and the ingress device of the last fragment
/// still exists (ip_expire, ip6frag_expire_frag_queue). In IPv4 the timeout of fragments in transit
/// causes no error.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::report_timeout(const node::ReassemblyTable::Expired& lost) {
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
  const node::Device* device = context().lookup.device(lost.device);
  const bool from_pod =
      device == nullptr && lost.device == context().state().pod_device(lost.key.source);
  if (device == nullptr && !from_pod) return;
  if (cause.inner.is_ipv4()) {
    if (!context().lookup.is_local(lost.key.destination)) return;
    if (device != nullptr && !source_is_valid(cause, *device)) return;
  }
  output_.answer(IcmpReason::ReassemblyTimeout, cause);
}

/// Returns whether a kernel accepts the protocol without an extra module: ICMP, IGMP (in IPv4), TCP
/// and UDP. The caller has handled tunnels before.
inline bool is_supported_protocol(const IpFields& header) {
  constexpr std::uint8_t kIgmp = 2;
  return header.is_icmp() || has_ports(header.protocol) ||
         (header.is_ipv4() && header.protocol == kIgmp);
}

/// Delivers a packet to the node (ip_local_deliver and ip6_input): reassembly, the INPUT chain,
/// then decapsulation or the node itself. The inner packet of a tunnel is not decapsulated a second
/// time.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::receive(const Packet& packet, const node::Device* device) {
  Packet whole = packet;
  if (packet.outermost().is_fragment() && !reassemble(whole, device)) return;
  const node::TunnelGuard* guard = guard_of(whole);
  const IpAddress source = whole.outermost().source;
  if (guard != nullptr && !node::admits(*guard, source, context().lookup.is_member(source))) {
    return context().drop(Drop::TunnelSource, whole, {.guard = guard});
  }
  if (output_.is_refused(whole, node::ServiceRefusal::AtInput)) return;
  if (!tracking().remember(context(), whole)) return;
  if (whole.is_encapsulated()) return receive_tunnelled(whole, guard);
  const std::uint8_t protocol = whole.inner.protocol;
  if (protocol == kIpip || protocol == kIpv6InIp) {
    return context().drop(Drop::UnsupportedProtocol, whole);
  }
  if (!is_supported_protocol(whole.inner)) {
    // The pointer to the next header field of the IPv6 header.
    constexpr std::uint32_t kNextHeader = 6;
    output_.answer(IcmpReason::ProtocolUnreachable, whole, kNextHeader);
    return context().drop(Drop::UnsupportedProtocol, whole);
  }
  if (protocol == kUdp) {
    if (whole.inner.payload_bytes() < kUdpHeaderBytes)
      return context().drop(Drop::Malformed, whole);
    if (node::tunnel_at(context().state(), whole.destination_port) != Encapsulation::None) {
      return context().drop(Drop::UnsupportedProtocol, whole);
    }
  }
  learn(whole);
  context().emit(Egress::Host, whole, whole.outermost().destination);
}

/// Returns the tunnel guard of Felix's INPUT chain that applies to this packet; null if none does.
template <typename Lookup, typename Observer>
const node::TunnelGuard* NodeDecision<Lookup, Observer>::guard_of(const Packet& packet) const {
  if (context().state().filter == nullptr) return nullptr;
  const std::uint16_t port =
      packet.is_encapsulated() ? packet.outer_destination_port : packet.destination_port;
  return node::find_guard(*context().state().filter, packet.outermost().protocol, port);
}

/// Decapsulates a tunnel packet, merges ECN, and lets the inner packet enter through the tunnel
/// device. Without a listener the sender gets the ICMP error "port unreachable" (udp_rcv,
/// tunnel4_rcv).
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::receive_tunnelled(const Packet& packet,
                                                       const node::TunnelGuard* guard) {
  const node::TunnelKey key{.encapsulation = packet.encapsulation,
                            .source = packet.outer.source,
                            .vni = packet.vni,
                            .udp_port = packet.outer_destination_port};
  if (packet.udp_fault) return context().drop(*packet.udp_fault, packet);
  const bool is_cut = !packet.inner_fault && packet.wrapped_bytes() > packet.outer.total_length;
  if (is_cut && packet.outer.protocol == kUdp) return context().drop(Drop::Malformed, packet);
  const node::Device* device = context().lookup.receiving_device(key);
  const bool is_open = device != nullptr && device->up;
  if (!is_open && !node::listens(context().state(), key)) {
    output_.answer(IcmpReason::PortUnreachable, packet);
    return context().drop(Drop::TunnelUnknown, packet, nullptr, device);
  }
  if (packet.inner_fault) return context().drop(*packet.inner_fault, packet, nullptr, device);
  if (!is_open) return context().drop(Drop::TunnelUnknown, packet, nullptr, device);
  Packet bare = packet;
  if (!decapsulate(bare)) return context().drop(Drop::EcnCorrupted, packet, nullptr, device);
  if (bare.inner.total_length < bare.inner.header_bytes() || is_cut) {
    return context().drop(Drop::Malformed, packet, nullptr, device);
  }
  if (const auto foreign = foreign_to_peer(packet, *device)) {
    return context().drop(*foreign, packet, nullptr, device);
  }
  context().observer.decapsulated(packet, *device, guard);
  enter(bare, device);
}

/// Returns the reason why a WireGuard device rejects the inner packet: no session has its index, or
/// the inner source is not among that peer's allowed IPs (wg_packet_consume_data_done). Returns
/// nothing for other encapsulations. The outer source address does not matter, since a peer may
/// roam.
template <typename Lookup, typename Observer>
std::optional<Drop> NodeDecision<Lookup, Observer>::foreign_to_peer(
    const Packet& packet, const node::Device& device) const {
  if (packet.encapsulation != Encapsulation::Wireguard) return std::nullopt;
  const node::NodeState& state = context().state();
  const node::Member* peer = node::wireguard_peer(state, packet.vni);
  if (peer == nullptr) return Drop::TunnelUnknown;
  const bool is_allowed = node::allowed_peer(state, device, packet.inner.source) == peer;
  return is_allowed ? std::nullopt : std::optional(Drop::AllowedIps);
}

/// Learns a path MTU from an ICMP error. Only errors about the node's tunnel packets count: an
/// error that quotes another TCP or UDP packet would count only if a socket had sent it
/// (icmp_unreach, ipip_err, vxlan_err_lookup).
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::learn(const Packet& packet) {
  if (!packet.icmp || !is_packet_too_big(*packet.icmp, packet.inner.family())) return;
  if (!context().lookup.is_local(packet.icmp->quoted_source)) return;
  context().runtime.path_mtus.learn(packet.icmp->quoted_destination, packet.icmp->next_hop_mtu,
                                    context().now);
}

}  // namespace overlane::forward

#pragma once

#include <algorithm>

#include "dataplane/forward/encapsulate.h"
#include "dataplane/forward/forward.h"
#include "dataplane/forward/fragment.h"
#include "dataplane/forward/icmp_error.h"

namespace overlane::forward {

/// The decision sequence of `forward` for a node.
///
/// Lookup answers what the node's tables say: `route(address)` → std::optional<node::RouteMatch>,
/// `device(name)`, `uplink()`, `tunnel_device(encapsulation)`, `is_local(address)`,
/// `neighbour(address)` (the member behind a tunnel address), `is_member(packet)` (whether a tunnel
/// packet comes from one), and `state()` for what is not a table.
/// Observer hears of each decision (forward/step_observer.h shows the calls).
template <typename Lookup, typename Observer>
class NodeDecision {
 public:
  NodeDecision(const Lookup& lookup, Observer& observer, node::NodeRuntime& runtime, Picos now,
               Outcome& outcome)
      : lookup_(lookup), observer_(observer), runtime_(runtime), now_(now), outcome_(outcome) {}

  void run(const Packet& packet, Ingress ingress) {
    if (packet.outermost().total_length < kIpHeaderBytes) return drop(Drop::Malformed, packet);
    switch (ingress) {
      case Ingress::Pod:
        return from_pod(packet);
      case Ingress::Uplink:
        return from_uplink(packet);
      case Ingress::Host:
        return from_host(packet);
    }
  }

 private:
  enum class Origin : std::uint8_t { Forwarded, Node };

  /// Felix accepts from a workload only what its own route leads back to, and no tunnel packets
  /// (felix/rules: raw PREROUTING RPF match, AllowIPIPPacketsFromWorkloads).
  void from_pod(const Packet& packet) {
    const auto reverse = lookup_.route(packet.outermost().source);
    if (!reverse || reverse->pod == nullptr) return drop(Drop::SourceSpoofed, packet);
    if (packet.is_encapsulated()) return drop(Drop::PacketFilter, packet);
    if (lookup_.is_local(packet.inner.destination)) return receive(packet);
    forward(packet, nullptr);
  }

  void from_uplink(const Packet& packet) {
    const node::Device* uplink = lookup_.uplink();
    if (uplink == nullptr) return drop(Drop::NoDevice, packet);
    if (!uplink->up) return drop(Drop::DeviceDown, packet, nullptr, uplink);
    input(packet, uplink);
  }

  void from_host(const Packet& packet) {
    if (lookup_.is_local(packet.outermost().destination)) return receive(packet);
    if (const auto match = usable_route(packet, Origin::Node)) send(packet, *match, Origin::Node);
  }

  void input(const Packet& packet, const node::Device* device) {
    if (!lookup_.is_local(packet.outermost().destination)) return forward(packet, device);
    if (!source_is_valid(packet, *device)) {
      return drop(Drop::RpFilter, packet, nullptr, device);
    }
    receive(packet);
  }

  /// ip_forward; `device` is null for a pod's packet, whose source is already known to be valid.
  void forward(const Packet& packet, const node::Device* device) {
    if (!lookup_.state().sysctls.ip_forward) return drop(Drop::NotLocal, packet);
    const auto match = usable_route(packet, Origin::Forwarded);
    if (!match) return;
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
      if (origin == Origin::Forwarded) answer(IcmpReason::NetUnreachable, packet);
      drop(Drop::NoRoute, packet);
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
        if (origin == Origin::Forwarded) answer(IcmpReason::HostUnreachable, packet);
        drop(Drop::UnreachableRoute, packet, &*match);
        return std::nullopt;
    }
    return std::nullopt;
  }

  /// fib_validate_source (net/ipv4/fib_frontend.c). A local source is never valid from outside.
  /// Strict: the way back leaves through this device. Loose: there is a way back, unless the device
  /// has no address of its own, which leaves only strict.
  bool source_is_valid(const Packet& packet, const node::Device& device) const {
    const IpAddress source = packet.outermost().source;
    if (lookup_.is_local(source)) return false;
    const std::uint8_t mode = std::max(lookup_.state().sysctls.rp_filter_all, device.rp_filter);
    if (mode == 0) return true;
    const auto reverse = lookup_.route(source);
    if (!reverse || reverse->route.kind != node::RouteKind::Unicast) return false;
    if (reverse->route.device == device.name) return true;
    return mode != 1 && device.address.has_value();
  }

  void send(const Packet& packet, const node::RouteMatch& match, Origin origin) {
    if (match.pod != nullptr) {
      return fit(
          packet, match, nullptr, mtu_of(match, match.pod->mtu, packet, origin), origin,
          [&](const Packet& piece) { emit(Egress::Pod, piece, piece.outermost().destination); });
    }
    const node::Device* device = lookup_.device(match.route.device);
    if (device == nullptr) return drop(Drop::NoDevice, packet, &match);
    if (!device->up) return drop(Drop::DeviceDown, packet, &match, device);
    const std::uint32_t mtu = mtu_of(match, device->mtu, packet, origin);
    switch (device->kind) {
      case node::DeviceKind::Loopback:
        return drop(Drop::UnreachableRoute, packet, &match, device);
      case node::DeviceKind::Uplink:
        return fit(packet, match, device, mtu, origin, [&](const Packet& piece) {
          emit(Egress::Uplink, piece, match.route.via.value_or(piece.outermost().destination));
        });
      case node::DeviceKind::Ipip:
      case node::DeviceKind::Vxlan:
        return fit(packet, match, device, mtu, origin,
                   [&](const Packet& piece) { tunnel(piece, match, *device); });
    }
  }

  /// ip_dst_mtu_maybe_forward (include/net/ip.h): learnt path MTUs count for the node's own packets
  /// only.
  std::uint32_t mtu_of(const node::RouteMatch& match, std::uint32_t device_mtu,
                       const Packet& packet, Origin origin) const {
    std::uint32_t mtu = device_mtu;
    if (match.route.mtu != 0) mtu = std::min(mtu, match.route.mtu);
    if (origin == Origin::Node) {
      const auto learnt = runtime_.path_mtus.find(packet.outermost().destination, now_);
      if (learnt) mtu = std::min(mtu, *learnt);
    }
    return std::max(mtu, kSmallestMtu);
  }

  /// Calls `next` with the packet or its fragments, or answers and drops.
  template <typename Next>
  void fit(const Packet& packet, const node::RouteMatch& match, const node::Device* device,
           std::uint32_t mtu, Origin origin, Next next) {
    if (packet.outermost().total_length <= mtu) return next(packet);
    if (packet.outermost().dont_fragment) {
      if (origin == Origin::Forwarded) answer(IcmpReason::FragmentationNeeded, packet, mtu);
      return drop(Drop::MtuExceeded, packet, &match, device);
    }
    observer_.fragmented(packet, mtu, match, device);
    fragment(packet, mtu, next);
  }

  /// ip_tunnel_xmit and vxlan_xmit_one: outer header, second lookup, outer MTU.
  void tunnel(const Packet& packet, const node::RouteMatch& match, const node::Device& device) {
    // A tunnel in a tunnel: a packet in transit whose outer destination is routed into a tunnel.
    if (packet.is_encapsulated()) return drop(Drop::UnsupportedProtocol, packet, &match, &device);
    const Encapsulation encapsulation = node::encapsulation_of(device.kind);
    if (packet.inner.total_length + overhead(encapsulation) > kLargestPacket) {
      return drop(Drop::MtuExceeded, packet, &match, &device);
    }
    const IpAddress next_hop = match.route.via.value_or(packet.inner.destination);
    IpAddress far_end = next_hop;
    if (device.kind == node::DeviceKind::Vxlan) {
      const node::Member* neighbour = lookup_.neighbour(next_hop);
      if (neighbour == nullptr) return drop(Drop::NoNeighbour, packet, &match, &device);
      far_end = neighbour->address;
    }
    Packet wrapped = packet;
    encapsulate(wrapped, encapsulation,
                {.source = lookup_.state().member().address,
                 .destination = far_end,
                 .vni = device.vni,
                 .destination_port = device.udp_port});
    observer_.encapsulated(wrapped, device);
    if (lookup_.is_local(far_end)) return drop(Drop::UnreachableRoute, packet, &match, &device);
    const auto outer_match = usable_route(wrapped, Origin::Node);
    if (!outer_match) return;
    if (!pod_hears_of_path_mtu(packet, wrapped, *outer_match)) {
      wrapped.outer.identification = runtime_.identification.next(far_end);
      send(wrapped, *outer_match, Origin::Node);
    }
  }

  /// tnl_update_pmtu (net/ipv4/ip_tunnel.c): with the inner DF merged first, the outer path's MTU
  /// binds the pod's packet, which is answered and dropped; true when that happened.
  bool pod_hears_of_path_mtu(const Packet& packet, const Packet& wrapped,
                             const node::RouteMatch& outer_match) {
    if (!lookup_.state().kernel.tunnel_pmtu_honours_inner_df || !wrapped.outer.dont_fragment) {
      return false;
    }
    const std::uint32_t mtu = mtu_of(outer_match, egress_mtu(outer_match), wrapped, Origin::Node);
    if (wrapped.outer.total_length <= mtu) return false;
    answer(IcmpReason::FragmentationNeeded, packet, mtu - overhead(wrapped.encapsulation));
    drop(Drop::MtuExceeded, wrapped, &outer_match);
    return true;
  }

  std::uint32_t egress_mtu(const node::RouteMatch& match) const {
    if (match.pod != nullptr) return match.pod->mtu;
    const node::Device* device = lookup_.device(match.route.device);
    return device == nullptr ? kSmallestMtu : device->mtu;
  }

  /// ip_local_deliver: reassembly, then the tunnels or the node itself.
  void receive(const Packet& packet) {
    Packet whole = packet;
    if (packet.outermost().is_fragment() && !reassemble(whole)) return;
    if (whole.is_encapsulated()) return receive_tunnelled(whole);
    if (whole.inner.protocol == kIpip) return drop(Drop::UnsupportedProtocol, whole);
    if (whole.icmp && whole.icmp->type == 3 && whole.icmp->code == 4 &&
        lookup_.is_local(whole.icmp->quoted_source)) {
      runtime_.path_mtus.learn(whole.icmp->quoted_destination, whole.icmp->next_hop_mtu, now_);
    }
    emit(Egress::Host, whole, whole.outermost().destination);
  }

  /// Makes `packet` the whole of which it is the last missing piece; else holds or drops it.
  bool reassemble(Packet& packet) {
    IpFields& header = packet.outermost();
    const std::uint32_t bytes = header.total_length - kIpHeaderBytes;
    const bool outer = packet.is_encapsulated();
    const node::FirstFragment first{
        .ttl = header.ttl,
        .tos = header.tos,
        .dont_fragment = header.dont_fragment,
        .source_port = outer ? packet.outer_source_port : packet.source_port,
        .destination_port = outer ? packet.outer_destination_port : packet.destination_port};
    const auto result = runtime_.reassembly.add(
        {header.source, header.destination, header.identification, header.protocol},
        {.begin = header.fragment_offset,
         .end = header.fragment_offset + bytes,
         .last = !header.more_fragments,
         .header = first},
        now_);
    if (result.drop) {
      drop(*result.drop, packet);
      return false;
    }
    if (!result.whole) {
      outcome_.held = true;
      observer_.held(packet);
      return false;
    }
    header.fragment_offset = 0;
    header.more_fragments = false;
    header.total_length = static_cast<std::uint16_t>(kIpHeaderBytes + result.payload_bytes);
    header.ttl = result.whole->ttl;
    header.tos = result.whole->tos;
    header.dont_fragment = result.whole->dont_fragment;
    if (!outer) {
      packet.source_port = result.whole->source_port;
      packet.destination_port = result.whole->destination_port;
    }
    observer_.reassembled(packet);
    return true;
  }

  /// The source filter (Felix, INPUT), the tunnel device, ECN, and the inner packet as if it had
  /// come in through that device.
  void receive_tunnelled(const Packet& packet) {
    if (lookup_.state().tunnel_sources == node::TunnelSources::Members &&
        !lookup_.is_member(packet)) {
      return drop(Drop::TunnelSource, packet);
    }
    const node::Device* device = lookup_.tunnel_device(packet.encapsulation);
    if (device == nullptr || !device->up || device->vni != packet.vni ||
        device->udp_port != packet.outer_destination_port) {
      return drop(Drop::TunnelUnknown, packet, nullptr, device);
    }
    Packet bare = packet;
    if (!decapsulate(bare)) return drop(Drop::EcnCorrupted, packet, nullptr, device);
    const std::uint32_t carried = bare.inner.total_length + overhead(packet.encapsulation);
    if (bare.inner.total_length < kIpHeaderBytes || carried > packet.outer.total_length) {
      return drop(Drop::Malformed, packet, nullptr, device);
    }
    observer_.decapsulated(packet, *device);
    input(bare, device);
  }

  /// Sends an ICMP error about `cause` to its source, as a packet of the node's own.
  void answer(IcmpReason reason, const Packet& cause, std::uint32_t mtu = 0) {
    const IpAddress destination = cause.outermost().source;
    const auto match = lookup_.route(destination);
    if (!match || match->route.kind != node::RouteKind::Unicast || lookup_.is_local(destination)) {
      return;
    }
    const node::Device* device = lookup_.device(match->route.device);
    const bool has_own = device != nullptr && device->address.has_value();
    const IpAddress source = has_own ? *device->address : lookup_.state().member().address;
    auto error = icmp_error(reason, cause, source, mtu);
    if (!error) return;
    error->inner.identification = runtime_.identification.next(destination);
    observer_.answered(*error);
    answering_ = true;
    send(*error, *match, Origin::Node);
    answering_ = false;
  }

  void emit(Egress egress, const Packet& packet, IpAddress next_hop) {
    observer_.emitted(egress, packet, next_hop);
    outcome_.emissions.push_back({egress, packet, next_hop, answering_});
  }

  void drop(Drop reason, const Packet& packet, const node::RouteMatch* match = nullptr,
            const node::Device* device = nullptr) {
    observer_.dropped(reason, packet, match, device);
    if (!answering_) outcome_.drop = reason;
  }

  const Lookup& lookup_;
  Observer& observer_;
  node::NodeRuntime& runtime_;
  Picos now_;
  Outcome& outcome_;
  bool answering_ = false;  ///< Whether the packet at hand is the ICMP error.
};

}  // namespace overlane::forward

#pragma once

#include <algorithm>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/decided.h"
#include "dataplane/forward/encapsulate.h"
#include "dataplane/forward/forward.h"
#include "dataplane/forward/fragment.h"
#include "dataplane/forward/icmp_error.h"
#include "dataplane/forward/martian.h"

namespace overlane::forward {

/// The decision sequence of `forward` for a node.
///
/// Lookup answers what the node's tables say: `route(address)` → std::optional<node::RouteMatch>,
/// `device(name)`, `uplink()`, `receiving_device(key)`, `is_local(address)`, `neighbour(address)`
/// (the member behind a tunnel address), `is_member(address)` (whether it is a node's of the
/// cluster), and `state()` for what is not a table.
/// Observer hears of each decision (forward/step_observer.h shows the calls).
///
/// Here stand the ways in and the way through; node_output.h has the way out, node_input.h what
/// happens to packets for the node itself, node_fragments.h how fragments become whole,
/// node_tracking.h what connection tracking does on the way, node_services.h what becomes of
/// packets to Services.
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

  /// What its sender hears about a packet whose fragments did not all come in time:
  /// node_fragments.h.
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

  // The way out: node_output.h.
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

  // What is for the node itself: node_input.h.
  void receive(const Packet& packet, const node::Device* device);
  const node::TunnelGuard* guard_of(const Packet& packet) const;
  void receive_tunnelled(const Packet& packet, const node::TunnelGuard* guard);
  std::optional<Drop> foreign_to_peer(const Packet& packet, const node::Device& device) const;
  void learn(const Packet& packet);

  // Fragments: node_fragments.h.
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

  // Connections: node_tracking.h.
  const node::PacketFilter* filter() const { return lookup_.state().filter.get(); }
  bool tracks() const { return filter() != nullptr && filter()->tracking != node::Tracking::Off; }
  /// Whether it matters which connection a packet belongs to, before a rule is asked.
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

  // Services: node_services.h.
  const node::ServiceTable* services() const {
    return tracks() ? lookup_.state().services.get() : nullptr;
  }
  /// Whether it bears a Service's address, at any port.
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
  /// Of the packet at hand, when it was put together on its way.
  std::optional<CameAsFragments> came_as_fragments_;
  /// Of the packet at hand; nothing when it was not asked for.
  std::optional<node::Track> track_;
};

}  // namespace overlane::forward

#include "dataplane/forward/node_fragments.h"
#include "dataplane/forward/node_input.h"
#include "dataplane/forward/node_output.h"
#include "dataplane/forward/node_services.h"
#include "dataplane/forward/node_tracking.h"

#pragma once

#include <algorithm>
#include <utility>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/decision_context.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::forward {

// This file has connection tracking and NAT of one packet on a node: ServiceTranslation, the rules
// of kube-proxy, and ConnectionTracking, the hooks of nf_conntrack and nf_nat. Both serve one
// packet and refer to its DecisionContext.
//
// Translation of the cluster's Services by kube-proxy's iptables rules. The rules find the Service
// that a connection is opened to and choose its endpoint (KUBE-SERVICES, KUBE-SVC), masquerade its
// source (KUBE-MARK-MASQ, KUBE-POSTROUTING), and refuse packets to a Service without endpoints. The
// rules translate only the first packet of a connection; later packets follow the connection's
// entry in the connection table (ConnectionTracking, below). In IPVS mode the kernel finds a
// Service in INPUT, and translated packets bypass FORWARD. This model finds a Service at the place
// of iptables' rules in both modes; only the state's ip_forward shows the difference.

/// Applies the Services of one node to one packet.
template <typename Context>
class ServiceTranslation {
 public:
  /// `context`, a DecisionContext, must outlive this object.
  explicit ServiceTranslation(const Context& context) : context_(context) {}

  /// Returns whether the packet's destination is the address of a Service, at any port.
  bool is_to_service(const Packet& packet) const {
    return table() != nullptr && table()->has(packet.outermost().destination);
  }

  /// Returns the Service to which a connection with this tuple is opened. Returns null if the
  /// Service has no endpoints, or if sockets translate the protocol, so that no packet has the
  /// Service's address.
  const node::Service* find(const node::ConntrackTuple& tuple) const {
    if (table() == nullptr || table()->translates_at_socket(tuple.protocol)) return nullptr;
    const node::Service* service =
        table()->find({tuple.destination, tuple.destination_port, tuple.protocol});
    return service == nullptr || service->endpoints.empty() ? nullptr : service;
  }

  /// Chooses the endpoint of a new connection (KUBE-SERVICES in nat's PREROUTING and OUTPUT).
  void redirect(node::Track& track, const node::Service& service,
                const node::ConntrackTuple& tuple) const {
    const auto choice =
        node::choose_endpoint(*table(), service, tuple, context_.runtime.service_turns);
    if (!choice) return;
    node::ConntrackTable::redirect(track, choice->endpoint.address, choice->endpoint.port);
    track.is_marked = choice->masqueraded;
  }

  /// Returns the masquerade of a marked connection (KUBE-POSTROUTING, behind Felix's rules).
  /// MASQUERADE takes the address of the egress device. A pod's veth has no address, so there it
  /// takes the node's (inet_select_addr).
  std::optional<node::Masquerade> masquerade(const Packet& packet,
                                             const node::Device* device) const {
    const Family family = packet.outermost().family();
    auto address = device == nullptr ? std::nullopt : device->address(family);
    if (!address) address = context_.state().address(family);
    if (!address) return std::nullopt;
    return node::Masquerade{{.by = node::MasqueradeRule::By::Mark},
                            {.source = *address, .random_fully = true}};
  }

  /// Returns whether a rule at this place refuses the packet because its Service has no endpoint
  /// for it.
  bool is_refused(const Packet& packet, node::ServiceRefusal where) const {
    if (packet.icmp || packet.is_encapsulated() || !is_to_service(packet)) return false;
    return node::refusal(*table(), front_of(packet)) == where;
  }
  /// Returns the Service of a refused packet.
  const node::Service* refusing(const Packet& packet) const {
    return table()->find(front_of(packet));
  }

 private:
  const node::ServiceTable* table() const {
    return context_.tracks() ? context_.state().services.get() : nullptr;
  }
  static node::ServicePort front_of(const Packet& packet) {
    return {packet.inner.destination, packet.destination_port, packet.inner.protocol};
  }

  const Context& context_;
};

// Connection tracking and NAT of a node (nf_conntrack, nf_nat). PREROUTING and OUTPUT find a
// packet's place in its connection and translate its destination. The place is kept until the
// packet leaves the node or is delivered to it. POSTROUTING and INPUT translate the source and add
// a new connection to the table, node::ConntrackTable. With node::Tracking::Translated the table
// has only connections that a rule translates, and their answers.

/// Connection tracking of one packet. `context` is always the packet's DecisionContext.
class ConnectionTracking {
 public:
  /// Returns whether the packet needs a call of track().
  template <typename Context>
  static bool must_track(const Context& context, const Packet& packet) {
    return knows_connections(context) || ServiceTranslation(context).is_to_service(packet);
  }
  /// Forgets the place of the previous packet. The connection of the next one does not matter.
  void forget() { track_.reset(); }

  /// Finds the packet's place in its connection and translates its destination (raw, conntrack and
  /// nat at PREROUTING and OUTPUT). Returns false if it dropped the packet.
  template <typename Context>
  bool track(Context& context, Packet& packet, Origin origin) {
    track_.reset();
    if (!must_track(context, packet)) return true;
    if (packet.outermost().is_fragment() || is_untracked(context, packet, origin)) return true;
    node::ConntrackTable& connections = context.runtime.connections;
    if (packet.icmp && !packet.is_encapsulated()) {
      if (packet.transport_fault) return true;
      track_ = connections.track_error(quoted_tuple(*packet.icmp), packet.inner.destination,
                                       context.now);
    } else if (const auto tuple = tuple_of(packet)) {
      const node::Service* service = ServiceTranslation(context).find(*tuple);
      track_ = connections.follow(*tuple, tcp_flags_of(packet), context.now);
      if (!track_ && (context.filter()->tracking == node::Tracking::All || service != nullptr)) {
        track_ = connections.open(*tuple, tcp_flags_of(packet));
      }
      if (service != nullptr && track_ && track_->is_unconfirmed) {
        ServiceTranslation(context).redirect(*track_, *service, *tuple);
      }
    }
    if (!track_ || !track_->is_tracked()) return true;
    if (track_->drop) {
      context.drop(*track_->drop, packet);
      return false;
    }
    translate_tracked(context, packet, Side::Destination);
    return true;
  }

  /// Removes and returns the place of the current packet, while an ICMP error about it is sent.
  std::optional<node::Track> take() { return std::exchange(track_, std::nullopt); }
  /// Restores the place that take() returned.
  void put_back(const std::optional<node::Track>& track) { track_ = track; }

  /// OUTPUT of an ICMP error that the node itself sends. The error is related to the connection of
  /// the packet that it reports on, even if that connection is not confirmed yet (nf_ct_attach).
  /// Returns false if it dropped the error.
  template <typename Context>
  bool track_answer(Context& context, Packet& error, const std::optional<node::Track>& cause) {
    if (!cause || !cause->is_tracked()) return track(context, error, Origin::Node);
    const bool is_answer = cause->direction == node::Direction::Original;
    track_ =
        node::Track{.state = node::TrackState::Related,
                    .direction = is_answer ? node::Direction::Reply : node::Direction::Original,
                    .original = cause->original,
                    .reply = cause->reply};
    translate_tracked(context, error, Side::Destination);
    return true;
  }

  /// POSTROUTING: masquerades a new connection if a rule says so, adds the connection to the table
  /// and translates the packet's source. Calls `leave` with the packet unless it dropped it.
  template <typename Context, typename Leave>
  void leave_postrouting(Context& context, const Packet& packet, const node::RouteMatch& match,
                         const node::Device* device, Origin origin, Leave leave) {
    const auto rule = context.tracks() ? masquerade_rule(context, packet, device) : std::nullopt;
    if (context.tracks() && !track_ && (rule || takes_answers(*context.filter(), packet, false))) {
      open(context, packet, origin);
    }
    if (!track_) return leave(packet);
    Packet leaving = packet;
    if (masquerade(context, leaving, rule, match, device)) leave(leaving);
  }

  /// The end of INPUT: adds the connection of a packet for the node to the table. Returns false if
  /// it dropped the packet.
  template <typename Context>
  bool remember(Context& context, Packet& packet) {
    if (context.tracks() && !track_ && takes_answers(*context.filter(), packet, true)) {
      open(context, packet, Origin::Forwarded);
    }
    if (!track_ || !track_->is_tracked()) return true;
    const auto refused =
        track_->drop ? track_->drop : context.runtime.connections.confirm(*track_, {}, context.now);
    if (refused) {
      context.drop(*refused, packet);
      return false;
    }
    translate_tracked(context, packet, Side::Source);
    return true;
  }

 private:
  /// Returns whether a packet's connection matters before any rule is looked up.
  template <typename Context>
  static bool knows_connections(const Context& context) {
    return context.tracks() && (context.filter()->tracking == node::Tracking::All ||
                                context.runtime.connections.size() > 0);
  }
  static std::uint8_t tcp_flags_of(const Packet& packet) {
    return packet.is_encapsulated() ? std::uint8_t{0} : packet.tcp_flags;
  }

  /// NOTRACK: applies to tunnel packets that the node itself sends or receives.
  template <typename Context>
  static bool is_untracked(const Context& context, const Packet& packet, Origin origin) {
    const std::uint16_t port =
        packet.is_encapsulated() ? packet.outer_destination_port : packet.destination_port;
    return node::is_untracked(*context.filter(), packet.outermost().protocol, port) &&
           (origin == Origin::Node || context.lookup.is_local(packet.outermost().destination));
  }

  /// Opens a connection for a packet that a rule masquerades, or whose answers a rule would
  /// masquerade (node::Tracking::Translated).
  template <typename Context>
  void open(Context& context, const Packet& packet, Origin origin) {
    if (context.filter()->tracking != node::Tracking::Translated) return;
    if (packet.outermost().is_fragment() || is_untracked(context, packet, origin)) return;
    if (packet.icmp && !packet.is_encapsulated()) return;
    const auto tuple = tuple_of(packet);
    if (!tuple) return;
    track_ = context.runtime.connections.open(*tuple, tcp_flags_of(packet));
  }

  /// Returns the masquerade rule for a connection that this packet opens; nothing if the connection
  /// is known or no rule applies.
  template <typename Context>
  std::optional<node::Masquerade> masquerade_rule(const Context& context, const Packet& packet,
                                                  const node::Device* device) const {
    if (track_ && !track_->is_unconfirmed) return std::nullopt;
    if (device == nullptr) return marked(context, packet, device);
    const IpFields& header = packet.outermost();
    const auto& tunnels = context.filter()->tunnel_devices;
    const bool is_tunnel = std::ranges::find(tunnels, device->name) != tunnels.end();
    const auto rule =
        node::masquerade(*context.filter(),
                         {.source = header.source,
                          .destination = header.destination,
                          .protocol = header.protocol,
                          .device = device->name,
                          .device_address = device->address(header.family()),
                          .source_is_local = is_tunnel && context.lookup.is_local(header.source)});
    return rule ? rule : marked(context, packet, device);
  }
  template <typename Context>
  std::optional<node::Masquerade> marked(const Context& context, const Packet& packet,
                                         const node::Device* device) const {
    if (!track_ || !track_->is_marked) return std::nullopt;
    return ServiceTranslation(context).masquerade(packet, device);
  }

  /// Masquerades and confirms the connection. Returns false if it dropped the packet.
  template <typename Context>
  bool masquerade(Context& context, Packet& packet,
                  const std::optional<node::Masquerade>& masquerade, const node::RouteMatch& match,
                  const node::Device* device) {
    if (!track_->is_tracked()) return true;
    node::ConntrackTable& connections = context.runtime.connections;
    if (masquerade && !track_->drop) {
      track_->drop = connections.masquerade(*track_, masquerade->translation, match.route.device);
    }
    if (!track_->drop) {
      track_->drop = connections.confirm(*track_, match.route.device, context.now);
    }
    if (track_->drop) {
      context.drop(*track_->drop, packet, &match, device);
      return false;
    }
    translate_tracked(context, packet, Side::Source, masquerade);
    return true;
  }

  template <typename Context>
  void translate_tracked(Context& context, Packet& packet, Side side,
                         const std::optional<node::Masquerade>& masquerade = std::nullopt) {
    if (!track_->is_translated()) return;
    const Packet before = packet;
    if (!translate(packet, *track_, side) || packet == before) return;
    context.observer.translated(
        before, packet,
        {*track_, side, masquerade ? std::optional(masquerade->rule) : std::nullopt});
  }

  /// Place of the current packet in its connection; nothing if it was not looked up.
  std::optional<node::Track> track_;
};

}  // namespace overlane::forward

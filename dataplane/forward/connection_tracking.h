#pragma once

#include <algorithm>
#include <utility>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/decision_context.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::forward {

// Services of the cluster as the rules of kube-proxy translate them: which Service a connection is
// opened to, which endpoint takes it (KUBE-SERVICES, KUBE-SVC), whether its source is masqueraded
// (KUBE-MARK-MASQ, KUBE-POSTROUTING), and which packets are refused since no endpoint takes them.
// Only the first packet of a connection is translated by these rules; the others follow its entry
// in the connection table (connection_tracking.h). IPVS finds a Service in INPUT and sends what it
// has translated past FORWARD. Here it is found where iptables' rules are, and only the state's
// ip_forward shows the difference.

/// The Services of one node, for one packet.
template <typename Context>
class ServiceTranslation {
 public:
  /// `context`, a DecisionContext, must outlive this object.
  explicit ServiceTranslation(const Context& context) : context_(context) {}

  /// Whether the packet's destination is the address of a Service, at any port.
  bool is_to_service(const Packet& packet) const {
    return table() != nullptr && table()->has(packet.outermost().destination);
  }

  /// The Service that a connection opening with such a packet goes to, if it has endpoints and
  /// packets bear its address.
  const node::Service* find(const node::ConntrackTuple& tuple) const {
    if (table() == nullptr || table()->translates_at_socket(tuple.protocol)) return nullptr;
    const node::Service* service =
        table()->find({tuple.destination, tuple.destination_port, tuple.protocol});
    return service == nullptr || service->endpoints.empty() ? nullptr : service;
  }

  /// KUBE-SERVICES of nat's PREROUTING and OUTPUT: chooses the endpoint of a connection that opens.
  void redirect(node::Track& track, const node::Service& service,
                const node::ConntrackTuple& tuple) const {
    const auto choice =
        node::choose_endpoint(*table(), service, tuple, context_.runtime.service_turns);
    if (!choice) return;
    node::ConntrackTable::redirect(track, choice->endpoint.address, choice->endpoint.port);
    track.is_marked = choice->masqueraded;
  }

  /// KUBE-POSTROUTING, behind Felix's rules, for a marked connection. MASQUERADE takes the address
  /// of the device that the packet leaves through, or, as a pod's veth has none, the node's
  /// (inet_select_addr).
  std::optional<node::Masquerade> masquerade(const Packet& packet,
                                             const node::Device* device) const {
    const Family family = packet.outermost().family();
    auto address = device == nullptr ? std::nullopt : device->address(family);
    if (!address) address = context_.state().address(family);
    if (!address) return std::nullopt;
    return node::Masquerade{{.by = node::MasqueradeRule::By::Mark},
                            {.source = *address, .random_fully = true}};
  }

  /// Whether a rule at this place refuses the packet, as no endpoint takes it.
  bool is_refused(const Packet& packet, node::ServiceRefusal where) const {
    if (packet.icmp || packet.is_encapsulated() || !is_to_service(packet)) return false;
    return node::refusal(*table(), front_of(packet)) == where;
  }
  /// The Service of a packet that is refused.
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

// Connection tracking and NAT of a node (nf_conntrack, nf_nat): a packet's place in its connection
// is found at PREROUTING and OUTPUT and kept until the packet leaves, or enters the node. Its
// destination is translated there, its source at POSTROUTING and INPUT, where a new connection is
// also remembered. The connections themselves are those of node::ConntrackTable. With
// node::Tracking::Translated only connections that a rule translates, and their answers, are in
// that table.

/// The place of the packet at hand in its connection. `context` is the packet's DecisionContext.
class ConnectionTracking {
 public:
  /// Whether track() has to see the packet.
  template <typename Context>
  static bool must_track(const Context& context, const Packet& packet) {
    return knows_connections(context) || ServiceTranslation(context).is_to_service(packet);
  }
  /// Another packet follows, whose connection does not matter.
  void forget() { track_.reset(); }

  /// raw and conntrack at PREROUTING and OUTPUT, and the translation of destinations there: finds
  /// the packet's place in its connection. False when it was dropped.
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

  /// Takes the place of the packet at hand away while an ICMP error about it is sent.
  std::optional<node::Track> take() { return std::exchange(track_, std::nullopt); }
  /// Continues with the packet that had this place.
  void put_back(const std::optional<node::Track>& track) { track_ = track; }

  /// OUTPUT of an ICMP error of the node's own: it is related to the connection of the packet that
  /// it reports on, also before that connection is confirmed (nf_ct_attach). False if it is
  /// dropped.
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

  /// POSTROUTING: a connection that opens is masqueraded when a rule says so, what goes its way is
  /// translated, and the connection is remembered. `leave` is called with the packet unless it was
  /// dropped.
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

  /// The end of INPUT: the connection of what the node takes is remembered. False when the packet
  /// was dropped.
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
  /// Whether the connection of a packet matters before a rule is looked up.
  template <typename Context>
  static bool knows_connections(const Context& context) {
    return context.tracks() && (context.filter()->tracking == node::Tracking::All ||
                                context.runtime.connections.size() > 0);
  }
  static std::uint8_t tcp_flags_of(const Packet& packet) {
    return packet.is_encapsulated() ? std::uint8_t{0} : packet.tcp_flags;
  }

  /// NOTRACK, for what the node itself sends or receives.
  template <typename Context>
  static bool is_untracked(const Context& context, const Packet& packet, Origin origin) {
    const std::uint16_t port =
        packet.is_encapsulated() ? packet.outer_destination_port : packet.destination_port;
    return node::is_untracked(*context.filter(), packet.outermost().protocol, port) &&
           (origin == Origin::Node || context.lookup.is_local(packet.outermost().destination));
  }

  /// Looks at a new connection when a rule takes it, or its answers (node::Tracking::Translated).
  template <typename Context>
  void open(Context& context, const Packet& packet, Origin origin) {
    if (context.filter()->tracking != node::Tracking::Translated) return;
    if (packet.outermost().is_fragment() || is_untracked(context, packet, origin)) return;
    if (packet.icmp && !packet.is_encapsulated()) return;
    const auto tuple = tuple_of(packet);
    if (!tuple) return;
    track_ = context.runtime.connections.open(*tuple, tcp_flags_of(packet));
  }

  /// The rule that takes a connection opening with this packet, if one is.
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

  /// False when the packet was dropped.
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

  /// Place of the packet at hand in its connection; nothing when it was not looked up.
  std::optional<node::Track> track_;
};

}  // namespace overlane::forward

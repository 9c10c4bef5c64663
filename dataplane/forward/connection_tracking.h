#pragma once

#include <algorithm>
#include <utility>

#include "dataplane/forward/connection.h"
#include "dataplane/forward/decision_context.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/service_translation.h"

namespace overlane::forward {

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

#pragma once

#include "dataplane/forward/node_decision.h"

namespace overlane::forward {

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
/// is about, even when nobody else knows that yet (nf_ct_attach). False when it was dropped.
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

}  // namespace overlane::forward

#include "dataplane/net/byte_order.h"
#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/connection_bytes.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::reference {

using node::ServiceProxy;

namespace {

bool is_in(const std::vector<IpPrefix>& networks, IpAddress address) {
  for (const IpPrefix& network : networks)
    if (network.contains(address)) return true;
  return false;
}

/// ICMP and ICMPv6 messages, which have no ports.
bool has_identifier(std::uint8_t protocol) {
  return protocol == 1 || protocol == 58;
}

/// Whether the client has the address, port and identifier that whom it asks knows.
bool client_kept(const node::Track& place) {
  const std::uint16_t port = has_identifier(place.original.protocol) ? place.reply.source_port
                                                                     : place.reply.destination_port;
  return place.original.source == place.reply.destination && place.original.source_port == port;
}
/// Whether the server has the address and port that the client knows.
bool asked_kept(const node::Track& place) {
  return place.original.destination == place.reply.source &&
         (has_identifier(place.original.protocol) ||
          place.original.destination_port == place.reply.source_port);
}

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

/// Whether sockets know the endpoint, so that the node has nothing to do.
bool is_done_at_socket(ServiceProxy proxy, std::uint8_t protocol) {
  return proxy == ServiceProxy::Cilium || (proxy == ServiceProxy::CalicoEbpf && protocol == kTcp);
}

}  // namespace

std::optional<Bytes> ByteNode::tracked_from(const Bytes& bytes, bool own) {
  place_.reset();
  if (!state_.filter || state_.filter->tracking == node::Tracking::Off) return bytes;
  if (header_of(bytes).is_fragment() || is_left_untracked(bytes, own)) return bytes;
  if (const auto quoted = quoted_tuple(bytes)) {
    place_ = runtime_.connections.track_error(*quoted, header_of(bytes).destination, now_);
  } else if (const auto tuple = shown_tuple(bytes)) {
    const node::Service* service = service_for(*tuple);
    place_ = runtime_.connections.follow(*tuple, tcp_flags_of(bytes), now_);
    if (!place_ && (state_.filter->tracking == node::Tracking::All || service != nullptr)) {
      place_ = runtime_.connections.open(*tuple, tcp_flags_of(bytes));
    }
    if (service != nullptr && place_ && place_->is_unconfirmed) send_on(*service, *tuple);
  }
  if (place_ && !place_->is_tracked()) return bytes;
  if (place_ && place_->drop) {
    give_up(*place_->drop);
    return std::nullopt;
  }
  return place_ ? with_new_destination(bytes) : bytes;
}

bool ByteNode::is_left_untracked(const Bytes& bytes, bool own) const {
  const forward::IpFields header = header_of(bytes);
  const std::size_t at = payload_at(bytes);
  if (header.protocol != 17 || bytes.size() < at + 4) return false;
  if (!own && !has_address(state_, header.destination)) return false;
  for (const std::uint16_t port : state_.filter->untracked_udp_ports)
    if (port == load_be16(bytes.data() + at + 2)) return true;
  return false;
}

std::optional<node::SourceTranslation> ByteNode::masquerade_rule(const Bytes& bytes,
                                                                 const node::Device& device) const {
  const node::PacketFilter& filter = *state_.filter;
  const forward::IpFields header = header_of(bytes);
  std::optional<IpAddress> address;
  for (const IpAddress candidate : device.addresses) {
    if (!address && candidate.is_ipv4() == header.is_ipv4()) address = candidate;
  }
  if (!address) return std::nullopt;
  if (is_in(filter.masqueraded_destinations, header.destination)) {
    return node::SourceTranslation{.source = *address};
  }
  const bool leaves_pools = is_in(filter.masqueraded_sources, header.source) &&
                            !is_in(filter.unmasqueraded_destinations, header.destination);
  bool is_tunnel = false;
  for (const node::DeviceName name : filter.tunnel_devices)
    if (name == device.name) is_tunnel = true;
  const bool wrong_source =
      is_tunnel && has_address(state_, header.source) && header.source != *address;
  if (!leaves_pools && !wrong_source) return std::nullopt;
  node::SourceTranslation rule{.source = *address, .random_fully = filter.random_fully};
  if (leaves_pools && (header.protocol == 6 || header.protocol == 17)) {
    rule.ports = filter.nat_ports;
  }
  return rule;
}

std::optional<Bytes> ByteNode::after_postrouting(const Bytes& bytes, node::DeviceName device_name,
                                                 const node::Device* device, bool own) {
  if (!state_.filter || state_.filter->tracking == node::Tracking::Off) return bytes;
  if (place_ && !place_->is_tracked()) return bytes;
  std::optional<node::SourceTranslation> rule;
  if (device != nullptr) rule = masquerade_rule(bytes, *device);
  if (!rule) rule = hidden_source(bytes, device);
  if (!place_) {
    if (!rule && !answers_would_be_taken(bytes)) return bytes;
    open_connection(bytes, own);
    if (!place_ || !place_->is_tracked()) return bytes;
  }
  std::optional<Drop> refused = place_->drop;
  if (!refused && place_->is_unconfirmed && rule) {
    refused = runtime_.connections.masquerade(*place_, *rule, device_name);
  }
  if (!refused) refused = runtime_.connections.confirm(*place_, device_name, now_);
  if (refused) {
    give_up(*refused);
    return std::nullopt;
  }
  return with_new_source(bytes);
}

/// Whether an answer, treated as the first packet of a connection, would be masqueraded.
bool ByteNode::answers_would_be_taken(const Bytes& bytes) const {
  const node::PacketFilter& filter = *state_.filter;
  const forward::IpFields header = header_of(bytes);
  const bool leaves_pools = is_in(filter.masqueraded_sources, header.destination) &&
                            !is_in(filter.unmasqueraded_destinations, header.source);
  return leaves_pools || is_in(filter.masqueraded_destinations, header.source);
}

/// No earlier packet belongs to this packet's connection.
void ByteNode::open_connection(const Bytes& bytes, bool own) {
  if (state_.filter->tracking != node::Tracking::Translated) return;
  if (header_of(bytes).is_fragment() || is_left_untracked(bytes, own)) return;
  const auto tuple = shown_tuple(bytes);
  if (tuple && !quoted_tuple(bytes)) {
    place_ = runtime_.connections.open(*tuple, tcp_flags_of(bytes));
  }
}

std::optional<Bytes> ByteNode::remembered(const Bytes& bytes) {
  if (!state_.filter || state_.filter->tracking == node::Tracking::Off) return bytes;
  const bool through_tunnel = !state_.filter->tunnel_devices.empty();
  if (!place_ && (through_tunnel || answers_would_be_taken(bytes))) open_connection(bytes, false);
  if (!place_ || !place_->is_tracked()) return bytes;
  std::optional<Drop> refused = place_->drop;
  if (!refused) refused = runtime_.connections.confirm(*place_, {}, now_);
  if (!refused) return with_new_source(bytes);
  give_up(*refused);
  return std::nullopt;
}

/// The tuple behind NAT has a new address, port or identifier of the client or of whom it asks. A
/// packet of the original direction comes from the client, one of the other goes to it.
Bytes ByteNode::with_new_destination(const Bytes& bytes) const {
  const node::ConntrackTuple seen = place_->translated();
  const bool is_answer = place_->direction == node::Direction::Reply;
  if (is_answer ? client_kept(*place_) : asked_kept(*place_)) return bytes;
  const forward::IpFields header = header_of(bytes);
  if (place_->state != node::TrackState::Related) {
    node::ConntrackTuple tuple = *shown_tuple(bytes);
    tuple.destination = seen.destination;
    tuple.destination_port = seen.destination_port;
    if (has_identifier(seen.protocol)) tuple.source_port = seen.source_port;
    return with_tuple(bytes, tuple);
  }
  node::ConntrackTuple quoted = *quoted_tuple(bytes);
  quoted.source = seen.destination;
  quoted.source_port = has_identifier(seen.protocol) ? seen.source_port : seen.destination_port;
  return with_quote(bytes, header.source, seen.destination, quoted);
}

Bytes ByteNode::with_new_source(const Bytes& bytes) const {
  const node::ConntrackTuple seen = place_->translated();
  const bool is_answer = place_->direction == node::Direction::Reply;
  if (is_answer ? asked_kept(*place_) : client_kept(*place_)) return bytes;
  const forward::IpFields header = header_of(bytes);
  if (place_->state != node::TrackState::Related) {
    node::ConntrackTuple tuple = *shown_tuple(bytes);
    tuple.source = seen.source;
    tuple.source_port = seen.source_port;
    return with_tuple(bytes, tuple);
  }
  node::ConntrackTuple quoted = *quoted_tuple(bytes);
  quoted.destination = seen.source;
  (has_identifier(seen.protocol) ? quoted.source_port : quoted.destination_port) = seen.source_port;
  return with_quote(bytes, seen.source, header.destination, quoted);
}

const node::Service* ByteNode::service_for(const node::ConntrackTuple& tuple) const {
  if (!redirects() || is_done_at_socket(state_.services->proxy(), tuple.protocol)) return nullptr;
  for (const node::Service& service : state_.services->services()) {
    const bool is_meant = service.front.address == tuple.destination &&
                          service.front.port == tuple.destination_port &&
                          service.front.protocol == tuple.protocol;
    if (is_meant && !service.endpoints.empty()) return &service;
  }
  return nullptr;
}

void ByteNode::send_on(const node::Service& service, const node::ConntrackTuple& tuple) {
  const node::ServiceTable& table = *state_.services;
  std::uint64_t number = hash(tuple, table.seed());
  if (table.proxy() == ServiceProxy::Ipvs) number = runtime_.service_turns[service.front]++;
  const node::Endpoint& endpoint = service.endpoints[number % service.endpoints.size()];
  place_->reply.source = endpoint.address;
  place_->reply.source_port = endpoint.port;
  bool is_pods = table.pods().empty();
  for (const IpPrefix& pods : table.pods())
    if (pods.contains(tuple.source)) is_pods = true;
  place_->is_marked = !is_pods || tuple.source == endpoint.address;
}

std::optional<node::SourceTranslation> ByteNode::hidden_source(const Bytes& bytes,
                                                               const node::Device* device) const {
  if (!place_ || !place_->is_marked) return std::nullopt;
  const bool ipv4 = header_of(bytes).is_ipv4();
  std::optional<IpAddress> address = own_address(state_, ipv4);
  for (std::size_t i = device == nullptr ? 0 : device->addresses.size(); i-- > 0;)
    if (device->addresses[i].is_ipv4() == ipv4) address = device->addresses[i];
  if (!address) return std::nullopt;
  return node::SourceTranslation{.source = *address, .random_fully = true};
}

bool ByteNode::refuses(const Bytes& bytes, ServiceProxy proxy) {
  if (!redirects() || state_.services->proxy() != proxy) return false;
  const forward::Packet seen = decode(bytes, {});
  if (seen.icmp || tunnelled_) return false;
  const forward::IpFields header = header_of(bytes);
  bool is_services = false;
  bool lacks_endpoints = false;
  for (const node::Service& service : state_.services->services()) {
    if (service.front.address != header.destination) continue;
    is_services = true;
    const bool is_asked =
        service.front.port == seen.destination_port && service.front.protocol == header.protocol;
    if (is_asked && !service.endpoints.empty()) return false;
    lacks_endpoints = lacks_endpoints || is_asked;
  }
  const bool has_ports = header.protocol == kTcp || header.protocol == kUdp;
  switch (proxy) {
    case ServiceProxy::Iptables:
      is_services = lacks_endpoints;
      break;
    case ServiceProxy::CalicoEbpf:
      is_services = lacks_endpoints && header.protocol == kUdp;
      break;
    case ServiceProxy::Ipvs:
      is_services = is_services && has_ports;
      break;
    case ServiceProxy::Nftables:
      break;
    case ServiceProxy::Cilium:
      return false;
  }
  if (!is_services) return false;
  tell_unreachable(bytes, 3, 4);
  give_up(Drop::NoEndpoints);
  return true;
}

}  // namespace overlane::reference

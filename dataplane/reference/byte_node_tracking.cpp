#include <algorithm>
#include <optional>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/state/conntrack_tuple.h"
#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/packet_bytes.h"

namespace overlane::reference {

// Connection tracking of the byte path: reads tuples from bytes, writes addresses, ports and
// checksums (NAT), and implements the part of ByteNode that follows nf_conntrack, kube-proxy's
// Services and masquerading.

namespace {

constexpr std::uint8_t kTcpProtocol = 6;
constexpr std::uint8_t kUdpProtocol = 17;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIcmpv6 = 58;
constexpr std::size_t kIcmpHeader = 8;

/// Size of a transport header and offset of its checksum, in bytes.
struct Layout {
  std::size_t header = 0;
  std::size_t checksum = 0;
};
/// nullopt for protocols whose header connection tracking does not read.
std::optional<Layout> layout_of(std::uint8_t protocol) {
  switch (protocol) {
    case kTcpProtocol:
      return Layout{20, 16};
    case kUdpProtocol:
      return Layout{8, 6};
    case kIcmp:
    case kIcmpv6:
      return Layout{8, 2};
    default:
      return std::nullopt;
  }
}

/// The transport header and payload that the checksum covers. For UDP, its length field decides.
Bytes transport_of(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  Bytes bytes(packet.begin() + static_cast<std::ptrdiff_t>(payload_at(packet)), packet.end());
  if (header.protocol == kUdpProtocol && bytes.size() >= 8) {
    bytes.resize(std::min<std::size_t>(bytes.size(), load_be16(bytes.data() + 4)));
  }
  return bytes;
}

std::uint16_t transport_sum(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  const Bytes bytes = transport_of(packet);
  return header.protocol == kIcmp
             ? internet_checksum(bytes)
             : transport_checksum(header.source, header.destination, header.protocol, bytes);
}

bool is_sound(const Bytes& packet, const Layout& layout) {
  const std::size_t at = payload_at(packet);
  if (packet.size() < at + layout.header) return false;
  const bool is_udp = header_of(packet).protocol == kUdpProtocol;
  const std::size_t length = is_udp ? load_be16(packet.data() + at + 4) : layout.header;
  if (length < layout.header || at + length > packet.size()) return false;
  if (is_udp && load_be16(packet.data() + at + 6) == 0) return true;
  return transport_sum(packet) == 0;
}

void put_address(Bytes& packet, std::size_t at, IpAddress address) {
  if (address.is_ipv4()) return store_be32(packet.data() + at, address.ipv4().bits);
  const Ipv6Address bytes = address.ipv6();
  std::ranges::copy(bytes.bytes, packet.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Writes the addresses of the IP header at `at`. Does not update the IPv4 checksum.
void put_addresses(Bytes& packet, std::size_t at, IpAddress source, IpAddress destination) {
  const bool ipv4 = source.is_ipv4();
  put_address(packet, at + (ipv4 ? 12 : 8), source);
  put_address(packet, at + (ipv4 ? 16 : 24), destination);
}

void put_ports(Bytes& packet, std::size_t at, const node::ConntrackTuple& tuple) {
  if (tuple.protocol == kTcpProtocol || tuple.protocol == kUdpProtocol) {
    store_be16(packet.data() + at, tuple.source_port);
    store_be16(packet.data() + at + 2, tuple.destination_port);
  } else if (tuple.protocol == kIcmp || tuple.protocol == kIcmpv6) {
    store_be16(packet.data() + at + 4, tuple.source_port);
  }
}

/// The sum of all 16-bit words of [begin, end).
std::uint32_t words(const Bytes& bytes, std::size_t begin, std::size_t end) {
  std::uint32_t sum = 0;
  for (std::size_t at = begin; at + 2 <= end; at += 2)
    sum += load_be16(bytes.data() + at);
  return sum;
}

/// Updates the checksum at `at` by HC' = ~(~HC + ~m + m') (RFC 1624, equation 3). `before` and
/// `after` are sums of the changed words.
void correct(Bytes& bytes, std::size_t at, std::uint32_t before, std::uint32_t after) {
  std::uint64_t sum = std::uint16_t(~load_be16(bytes.data() + at));
  sum += std::uint64_t{0xffff} * 0x10000 - before + after;
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  store_be16(bytes.data() + at, static_cast<std::uint16_t>(~sum));
}

/// The tuple of the packet's IP and transport headers. nullopt if the transport header is truncated
/// or its checksum is wrong.
std::optional<node::ConntrackTuple> shown_tuple(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  node::ConntrackTuple tuple{
      .source = header.source, .destination = header.destination, .protocol = header.protocol};
  const auto layout = layout_of(header.protocol);
  if (!layout) return tuple;
  if (!is_sound(packet, *layout)) return std::nullopt;
  const std::uint8_t* transport = packet.data() + payload_at(packet);
  const bool is_icmp = header.protocol == kIcmp || header.protocol == kIcmpv6;
  tuple.source_port = load_be16(transport + (is_icmp ? 4 : 0));
  tuple.destination_port = load_be16(transport + (is_icmp ? 0 : 2));
  return tuple;
}

/// The tuple of the packet that an ICMP error quotes; fields beyond the end of the quote are 0.
/// nullopt for other packets and for an error with a wrong checksum.
std::optional<node::ConntrackTuple> quoted_tuple(const Bytes& packet) {
  if (!header_of(packet).is_icmp()) return std::nullopt;
  const auto error = decode(packet, {}).icmp;
  if (!error || !is_sound(packet, *layout_of(header_of(packet).protocol))) return std::nullopt;
  return node::ConntrackTuple{.source = error->quoted_source,
                              .destination = error->quoted_destination,
                              .source_port = error->quoted_source_port,
                              .destination_port = error->quoted_destination_port,
                              .protocol = error->quoted_protocol};
}

std::uint8_t tcp_flags_of(const Bytes& packet) {
  const std::size_t at = payload_at(packet);
  if (header_of(packet).protocol != kTcpProtocol || packet.size() < at + 14) return 0;
  return packet[at + 13];
}

/// The packet with the addresses and ports of `tuple` (for ICMP, the identifier) and newly computed
/// checksums. A UDP checksum of 0 (none) is kept.
Bytes with_tuple(Bytes packet, const node::ConntrackTuple& tuple) {
  const std::size_t at = payload_at(packet);
  put_addresses(packet, 0, tuple.source, tuple.destination);
  const auto ttl = header_of(packet).ttl;
  packet = with_ttl(std::move(packet), ttl);  // Recomputes the header checksum.
  const auto layout = layout_of(tuple.protocol);
  if (!layout) return packet;
  put_ports(packet, at, tuple);
  const bool is_udp = tuple.protocol == kUdpProtocol;
  if (is_udp && load_be16(packet.data() + at + layout->checksum) == 0) return packet;
  store_be16(packet.data() + at + layout->checksum, 0);
  std::uint16_t sum = transport_sum(packet);
  if (is_udp && sum == 0) sum = 0xffff;
  store_be16(packet.data() + at + layout->checksum, sum);
  return packet;
}

/// The ICMP error with new addresses, about a packet of tuple `quoted`. The quote may be truncated,
/// so its checksums are updated by the difference (RFC 1624) instead of recomputed.
Bytes with_quote(Bytes packet, IpAddress source, IpAddress destination,
                 const node::ConntrackTuple& quoted) {
  const std::size_t at = payload_at(packet) + kIcmpHeader;
  const bool ipv4 = source.is_ipv4();
  const std::size_t transport =
      at + payload_at(Bytes(packet.begin() + static_cast<std::ptrdiff_t>(at), packet.end()));
  const std::size_t addresses = at + (ipv4 ? 12 : 8);
  const std::size_t addresses_end = at + (ipv4 ? 20 : 40);
  const auto layout = layout_of(quoted.protocol);
  const bool has_ports = layout && packet.size() >= transport + 8;
  const auto ports = [&] { return has_ports ? words(packet, transport, transport + 6) : 0u; };

  // For ICMP, these words include type, code and checksum, which are equal in both sums.
  const std::uint32_t old_addresses = words(packet, addresses, addresses_end);
  const std::uint32_t old_ports = ports();
  put_addresses(packet, at, quoted.source, quoted.destination);
  if (has_ports) put_ports(packet, transport, quoted);
  const std::uint32_t new_addresses = words(packet, addresses, addresses_end);
  const std::uint32_t new_ports = ports();

  if (ipv4) correct(packet, at + 10, old_addresses, new_addresses);
  const bool has_sum = layout && packet.size() >= transport + layout->header;
  const std::size_t sum_at = transport + (layout ? layout->checksum : 0);
  const bool no_sum =
      has_sum && quoted.protocol == kUdpProtocol && load_be16(packet.data() + sum_at) == 0;
  if (has_sum && !no_sum) {
    const bool pseudo = quoted.protocol != kIcmp;
    correct(packet, sum_at, old_ports + (pseudo ? old_addresses : 0),
            new_ports + (pseudo ? new_addresses : 0));
    const bool says_none =
        quoted.protocol == kUdpProtocol && load_be16(packet.data() + sum_at) == 0;
    if (says_none) store_be16(packet.data() + sum_at, 0xffff);
  }
  const std::size_t message = payload_at(packet);
  put_addresses(packet, 0, source, destination);
  store_be16(packet.data() + message + 2, 0);
  store_be16(packet.data() + message + 2, transport_sum(packet));
  const auto ttl = header_of(packet).ttl;
  return with_ttl(std::move(packet), ttl);
}

using node::ServiceProxy;

bool is_in(const std::vector<IpPrefix>& networks, IpAddress address) {
  for (const IpPrefix& network : networks)
    if (network.contains(address)) return true;
  return false;
}

/// Whether the protocol is ICMP or ICMPv6, whose tuples have an identifier instead of ports.
bool has_identifier(std::uint8_t protocol) {
  return protocol == 1 || protocol == 58;
}

/// Whether NAT keeps the address, port and identifier of the client.
bool client_kept(const node::Track& place) {
  const std::uint16_t port = has_identifier(place.original.protocol) ? place.reply.source_port
                                                                     : place.reply.destination_port;
  return place.original.source == place.reply.destination && place.original.source_port == port;
}
/// Whether NAT keeps the address and port that the client sends to.
bool asked_kept(const node::Track& place) {
  return place.original.destination == place.reply.source &&
         (has_identifier(place.original.protocol) ||
          place.original.destination_port == place.reply.source_port);
}

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

/// Whether the proxy translates at the socket (connect), so that packets have the endpoint's
/// address already.
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

// Whether an answer, treated as the first packet of a connection, would be masqueraded.
bool ByteNode::answers_would_be_taken(const Bytes& bytes) const {
  const node::PacketFilter& filter = *state_.filter;
  const forward::IpFields header = header_of(bytes);
  const bool leaves_pools = is_in(filter.masqueraded_sources, header.destination) &&
                            !is_in(filter.unmasqueraded_destinations, header.source);
  return leaves_pools || is_in(filter.masqueraded_destinations, header.source);
}

// Opens a connection for a packet without one. With Tracking::All, tracked_from() has done that.
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

// A packet of the original direction goes to the address that the client asked for, and destination
// NAT may change it. A packet of the reply direction goes to the client, and source NAT is undone.
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
  report_unreachable(bytes, 3, 4);
  give_up(Drop::NoEndpoints);
  return true;
}

}  // namespace overlane::reference

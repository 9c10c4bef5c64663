#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/connection_bytes.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::reference {

using node::ServiceProxy;

namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

/// Whether sockets know the endpoint, so that the node has nothing to do.
bool is_done_at_socket(ServiceProxy proxy, std::uint8_t protocol) {
  return proxy == ServiceProxy::Cilium || (proxy == ServiceProxy::CalicoEbpf && protocol == kTcp);
}

}  // namespace

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

#include "scenarios/replay/services.h"

#include <algorithm>

#include "dataplane/forward/packet.h"
#include "scenarios/migration/outages/other_traffic.h"
#include "topologies/provider/profile.h"

namespace overlane::replay {
namespace {

constexpr std::uint16_t kDnsPort = 53;
/// Gardener's address of the Service kube-dns: the tenth of the Services' range.
constexpr std::uint32_t kDnsOffset = 10;

bool has_kube_proxy(const effective::EffectiveDataplane& shoot) {
  using effective::ServiceRouting;
  const ServiceRouting routing = shoot.dataplane.service_routing;
  return routing == ServiceRouting::KubeProxyIptables || routing == ServiceRouting::KubeProxyIpvs ||
         routing == ServiceRouting::KubeProxyNftables;
}

std::uint16_t node_port_number(std::uint32_t node) {
  return static_cast<std::uint16_t>(provider::kDefaultNodePorts.first + node);
}

}  // namespace

std::optional<kernel::ServiceAddress> ReplayedServices::dns_of(std::uint32_t node) const {
  for (std::size_t i = 0; i < dns_nodes.size(); ++i)
    if (dns_nodes[i] == node) return kernel::ServiceAddress{dns_addresses[i], kDnsPort};
  return std::nullopt;
}

kernel::ServiceAddress ReplayedServices::node_port_of(std::uint32_t node,
                                                      const IpAddress& other_node) {
  return {other_node, node_port_number(node)};
}

std::optional<ReplayedServices> add_services(migration::Transition& transition) {
  if (!has_kube_proxy(transition.before) || !has_kube_proxy(transition.after)) return std::nullopt;
  const auto range = std::ranges::find_if(transition.before.services, &IpPrefix::is_ipv4);
  const auto pod_of = [&](std::uint32_t node) {
    return transition.from.nodes[node].pods.front().address;
  };
  if (range == transition.before.services.end() || !pod_of(0).is_ipv4()) return std::nullopt;
  ReplayedServices made{.dns_nodes = migration::dns_nodes(
                            migration::Presence(transition.nodes(), {{}, migration::kNever}))};
  std::vector<node::Service> services;
  for (std::uint32_t i = 0; i < made.dns_nodes.size(); ++i) {
    made.dns_addresses[i] = Ipv4Address{range->network().ipv4().bits + kDnsOffset + i};
    services.push_back({.front = {made.dns_addresses[i], kDnsPort, forward::kUdp},
                        .endpoints = {{pod_of(made.dns_nodes[i]), kernel::kProbePort}}});
  }
  for (compile::Compiled* states : {&transition.from, &transition.to})
    if (!compile::add_services(services, transition.before, 0, *states)) return std::nullopt;
  for (std::uint32_t node = 0; node < transition.nodes(); ++node) {
    const std::uint16_t port = node_port_number(node);
    made.node_ports.push_back({port, forward::kUdp, {pod_of(node), kernel::kProbePort}});
    made.node_ports.push_back({port, forward::kTcp, {pod_of(node), kernel::kConnectionPort}});
  }
  return made;
}

}  // namespace overlane::replay

#include "topologies/compile/compile.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "topologies/cni/extension/profile.h"
#include "topologies/cni/profiles.h"

namespace overlane::compile {

namespace {

using cni::Unsupported;

Finding refuse(const effective::EffectiveDataplane& shoot, std::string rule,
               const Unsupported& unsupported) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return {.rule = std::move(rule),
          .severity = Severity::Error,
          .message = fmt::format("{}: {}", object.qualified(), unsupported.why),
          .object = object,
          .path = std::string(unsupported.path),
          .place = shoot.place,
          .hint = std::string(unsupported.hint)};
}

/// Why a shoot with IPv6 cannot be simulated; empty: it can.
std::string unsupported_ipv6(const effective::EffectiveDataplane& shoot,
                             const cni::NodeCompiler& cni) {
  const provider::Profile& profile = provider::profile_of(shoot.provider);
  if (profile.admission.ipv6 == provider::Ipv6Rule::Forbidden)
    return fmt::format("provider {} has no shoots with IPv6", profile.name);
  if (profile.fabric.pods_without_ipv6)
    return fmt::format("on provider {} only load balancers have IPv6, and pods have none",
                       profile.name);
  if (!shoot.not_modelled_because.empty()) return std::string(shoot.not_modelled_because);
  return cni.unsupported_ipv6 == nullptr ? "" : std::string(cni.unsupported_ipv6(shoot));
}

}  // namespace

std::optional<Finding> refusal(const effective::EffectiveDataplane& shoot) {
  const cni::NodeCompiler& cni = *cni::profile_of(shoot.agent).nodes;
  if (cni.unsupported_encryption != nullptr) {
    if (const auto unsupported = cni.unsupported_encryption(shoot))
      return refuse(shoot, "unsupported-encryption", *unsupported);
  }
  if (shoot.dataplane_of(Family::Ipv6) != nullptr) {
    if (const std::string why = unsupported_ipv6(shoot, cni); !why.empty()) {
      return refuse(
          shoot, "unsupported-ip-family",
          {.why = why,
           .path = "spec.networking.ipFamilies",
           .hint = "with ipFamilies: [IPv4], or with overlay.enabled: false, its nodes are known"});
    }
  }
  return std::nullopt;
}

Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot) {
  if (auto refused = refusal(shoot)) return fail(*std::move(refused));
  Compiled compiled;
  compiled.fabric = fabric_state(topology, shoot, compiled.findings);
  compiled.nodes = node_states(topology, shoot);
  compiled.nameservers = shoot.nameservers;
  return compiled;
}

using effective::ServiceRouting;
using node::ServiceProxy;

std::optional<ServiceProxy> service_proxy(ServiceRouting routing) {
  switch (routing) {
    case ServiceRouting::KubeProxyIptables:
      return ServiceProxy::Iptables;
    case ServiceRouting::KubeProxyIpvs:
      return ServiceProxy::Ipvs;
    case ServiceRouting::KubeProxyNftables:
      return ServiceProxy::Nftables;
    case ServiceRouting::CalicoEbpf:
      return ServiceProxy::CalicoEbpf;
    case ServiceRouting::Cilium:
      return ServiceProxy::Cilium;
    case ServiceRouting::NetworkExtension:
      return std::nullopt;
  }
  return std::nullopt;
}

Result<void> add_services(std::vector<node::Service> services,
                          const effective::EffectiveDataplane& shoot, std::uint64_t seed,
                          Compiled& states) {
  const auto proxy = service_proxy(shoot.dataplane.service_routing);
  if (!proxy) return {};
  // Gardener sets kube-proxy's clusterCIDR to the shoot's pod ranges; eBPF has no such rule.
  const bool is_ebpf = *proxy == ServiceProxy::CalicoEbpf || *proxy == ServiceProxy::Cilium;
  auto table = node::ServiceTable::make(*proxy, std::move(services),
                                        is_ebpf ? std::vector<IpPrefix>{} : shoot.pods, seed);
  if (!table) return fail(std::move(table.error()));
  const auto shared = std::make_shared<const node::ServiceTable>(*std::move(table));
  for (node::NodeState& state : states.nodes)
    state.services = shared;
  return {};
}

namespace {

using cni::kLooseRpFilter;
using cni::kUplink;
using cni::NodeCompiler;
using effective::Dataplane;
using effective::EffectiveDataplane;
using node::PacketFilter;
using node::RouteProtocol;

void masquerade(const effective::Masquerade& masquerade, PacketFilter& filter) {
  filter.masqueraded_sources = masquerade.sources;
  filter.unmasqueraded_destinations = masquerade.except;
  filter.masqueraded_destinations = masquerade.upstream_dns;
  for (auto* list : {&filter.masqueraded_sources, &filter.unmasqueraded_destinations,
                     &filter.masqueraded_destinations}) {
    std::ranges::sort(*list);
  }
  if (masquerade.limits_ports) filter.nat_ports = node::kGardenerNatPorts;
  filter.random_fully = masquerade.random_ports;
  filter.masquerades_in_ebpf = masquerade.in_ebpf;
}

/// The MAC of a node's VTEP: locally administered, with the node's number. Felix would derive it
/// from the node's name.
MacAddress vtep_mac(std::uint32_t node) {
  return {{0x66, 0x00, static_cast<std::uint8_t>(node >> 24), static_cast<std::uint8_t>(node >> 16),
           static_cast<std::uint8_t>(node >> 8), static_cast<std::uint8_t>(node)}};
}

/// With host-local IPAM the tunnel device has the first address of the pod CIDR.
node::MemberAddresses addresses(IpAddress node, const IpPrefix& pod_cidr, const MacAddress& mac) {
  return {.node = node, .pod_cidr = pod_cidr, .tunnel = pod_cidr.network() + 1, .vtep_mac = mac};
}

std::shared_ptr<const node::ClusterTable> cluster_table(const graph::Topology& topology,
                                                        const EffectiveDataplane& shoot,
                                                        const NodeCompiler& cni) {
  auto table = std::make_shared<node::ClusterTable>();
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    const graph::Node& node = topology.nodes()[i];
    const auto& [ipv4, ipv6] = node.addresses;
    node::Member member{.name = node.name, .subnet = node.subnet, .ipv4 = {}, .ipv6 = {}};
    if (ipv4) member.ipv4 = addresses(ipv4->address, ipv4->pod_cidr, vtep_mac(i));
    if (ipv6) member.ipv6 = addresses(ipv6->address, ipv6->pod_cidr, vtep_mac(i));
    table->add(std::move(member));
  }
  if (shoot.dataplane_of(Family::Ipv4) != nullptr)
    table->ipv4 = cni.peer_routes(shoot, Family::Ipv4);
  if (shoot.dataplane_of(Family::Ipv6) != nullptr)
    table->ipv6 = cni.peer_routes(shoot, Family::Ipv6);
  return table;
}

/// Adds the state of a machine after boot: its interface, the default route, and the route to its
/// subnet, or to the gateway alone where machines have /32 addresses.
void add_uplink(const graph::Subnet& subnet, const EffectiveDataplane& shoot,
                node::NodeState& state) {
  const bool is_host = provider::profile_of(shoot.provider).machines.host_addresses;
  state.devices.push_back({.name = kUplink,
                           .kind = node::DeviceKind::Uplink,
                           .mtu = shoot.dataplane.link_mtu,
                           .addresses = {},
                           .rp_filter = kLooseRpFilter});
  for (const Family family : graph::kFamilies) {
    const IpPrefix* cidr = subnet.cidr.in(family);
    if (cidr == nullptr) continue;
    state.devices.back().addresses.push_back(state.member().in(family)->node);
    // The router has the first address of the subnet on every modelled provider.
    const IpAddress gateway = cidr->network() + 1;
    state.routes.set(IpPrefix::containing(cidr->network(), 0),
                     {.device = kUplink, .via = gateway, .protocol = RouteProtocol::Boot});
    if (is_host) {
      state.routes.set(IpPrefix::host(gateway),
                       {.device = kUplink, .protocol = RouteProtocol::Boot});
    } else {
      state.routes.set(*cidr, {.device = kUplink});
    }
  }
}

node::LocalPod local_pod(IpAddress address, const Dataplane& dataplane) {
  node::LocalPod pod{.address = address, .mtu = dataplane.pod_mtu};
  if (dataplane.pod_device_mtu > dataplane.pod_mtu) {
    pod.mtu = dataplane.pod_device_mtu;
    pod.route_mtu = dataplane.pod_mtu;
  }
  return pod;
}

/// The packet filter that all nodes of the shoot share: masquerading, and the rules that the CNI's
/// agent adds.
std::shared_ptr<const PacketFilter> packet_filter(const effective::EffectiveDataplane& shoot,
                                                  const cni::NodeCompiler& cni) {
  auto filter = std::make_shared<PacketFilter>();
  filter->tracking = node::Tracking::Translated;
  if (cni.add_filters != nullptr) cni.add_filters(shoot, *filter);
  masquerade(shoot.masquerade, *filter);
  return filter;
}

}  // namespace

std::vector<node::NodeState> node_states(const graph::Topology& topology,
                                         const EffectiveDataplane& shoot) {
  const NodeCompiler& cni = *cni::profile_of(shoot.agent).nodes;
  const auto cluster = cluster_table(topology, shoot, cni);
  const auto filter = packet_filter(shoot, cni);
  std::vector<node::NodeState> states;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    node::NodeState state;
    state.cluster = cluster;
    state.filter = filter;
    state.self = node::MemberIndex{i};
    add_uplink(topology.subnets()[state.member().subnet], shoot, state);
    cni.add_devices(shoot, state);
    std::ranges::sort(state.devices, {}, &node::Device::name);
    const graph::Topology::PodRange pods = topology.pods_of(i);
    for (std::uint32_t p = pods.first; p < pods.first + pods.count; ++p) {
      for (const Family family : graph::kFamilies) {
        const IpAddress* address = topology.pods()[p].address.in(family);
        if (address != nullptr)
          state.pods.push_back(local_pod(*address, *shoot.dataplane_of(family)));
      }
    }
    std::ranges::sort(state.pods, {}, &node::LocalPod::address);
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace overlane::compile

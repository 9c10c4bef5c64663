#include "topologies/compile/services.h"

#include <memory>
#include <utility>

namespace overlane::compile {

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

}  // namespace overlane::compile

#include "topologies/compile/compile.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

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
  const cni::NodeCompiler& cni = cni::profile_of(shoot.agent).nodes;
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

}  // namespace overlane::compile

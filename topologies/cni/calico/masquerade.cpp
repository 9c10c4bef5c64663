#include "topologies/cni/calico/masquerade.h"

#include "topologies/cni/calico/sources.h"

namespace overlane::calico {
namespace {

constexpr const char* kPool =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/ippool/ippool.yaml";

}  // namespace

effective::Decided<bool> decide_dns_snat(const NetworkConfig& config,
                                         const effective::NetworkInputs& inputs) {
  const bool counts = inputs.overlay.enabled == false;
  return cni::snat_to_upstream_dns(counts ? config.snat_to_upstream_dns : std::nullopt, true,
                                   inputs, kCharts);
}

cni::MasqueradeDecision decide_masquerade(const NetworkConfig& config,
                                          const effective::NetworkInputs& inputs) {
  cni::MasqueradeDecision decision;
  effective::Masquerade& masquerade = decision.masquerade;
  masquerade.sources = cni::ipv4_of(inputs.addressing.pods.value);
  masquerade.except = masquerade.sources;
  masquerade.limits_ports = true;
  masquerade.random_ports = true;
  decision.sources = {inputs.families.has(Family::Ipv4)
                          ? "the IPv4 pool has natOutgoing, with ports 32768 to 65535"
                          : "only an IPv4 pool has natOutgoing by default",
                      kPool};
  decision.except = {"a pod's address is kept towards every pool, here the pod range", kPool};
  if (inputs.overlay.enabled == false) {
    cni::except_nodes(inputs.addressing, masquerade);
    decision.except = {
        "without an overlay, the disabled pool no-snat-for-node-cidr keeps pod addresses towards "
        "nodes",
        kPool, inputs.overlay.basis.assumed};
  }
  const auto& ipv6 = config.ipv6;
  if (inputs.families.has(Family::Ipv6) && ipv6 && ipv6->value.source_nat &&
      ipv6->value.source_nat->value)
    cni::masquerade_ipv6(inputs.addressing, effective::as_given(*ipv6->value.source_nat), false,
                         decision);
  cni::decide_upstream_dns(decide_dns_snat(config, inputs), inputs, decision);
  cni::mark_assumed_ranges(inputs.addressing, decision);
  return decision;
}

}  // namespace overlane::calico

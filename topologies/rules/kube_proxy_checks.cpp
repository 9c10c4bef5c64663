#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
namespace {

void check_nftables_gate(const NetworkInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.spec.shoot;
  if (!shoot.kube_proxy_mode || shoot.kube_proxy_mode->value != "NFTables") return;
  const auto gate = shoot.kube_proxy_feature_gates.find("NFTablesProxyMode");
  if (gate != shoot.kube_proxy_feature_gates.end() && !gate->second.value)
    report.add(gate->second,
               "kubeProxy.mode is NFTables, but its feature gate NFTablesProxyMode is false");
}

constexpr Check<NetworkInputs> kKubeProxyChecks[] = {
    {{.id = "nftables-gate-off",
      .section = "§1.2",
      .title = "kube-proxy's mode NFTables is set without its feature gate.",
      .why = "Gardener's validation refuses NFTables when NFTablesProxyMode is explicitly false.",
      .remedy = "remove the feature gate, or choose IPTables or IPVS",
      .source = "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_nftables_gate},
};

}  // namespace

std::span<const Check<NetworkInputs>> kube_proxy_checks() {
  return kKubeProxyChecks;
}

}  // namespace overlane::rules

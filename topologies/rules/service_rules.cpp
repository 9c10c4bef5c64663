#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Rules about the path to services: kube-proxy's mode and NodeLocalDNS.
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

using effective::ServiceRouting;
namespace {

bool is_enabled(const LintInputs& in) {
  const auto& enabled = in.shoot.spec.shoot.node_local_dns.enabled;
  return enabled && enabled->value;
}

void check_unused(const LintInputs& in, RuleReport& report) {
  if (is_enabled(in)) return;
  const manifest::NodeLocalDns& dns = in.shoot.spec.shoot.node_local_dns;
  for (const auto& setting : {dns.force_tcp_to_cluster_dns, dns.force_tcp_to_upstream_dns,
                              dns.disable_forward_to_upstream_dns})
    if (setting) report.add(*setting, fmt::format("{} has no effect", setting->path));
}

void check_ipvs(const LintInputs& in, RuleReport& report) {
  if (is_enabled(in) && in.dataplane.dataplane.service_routing == ServiceRouting::KubeProxyIpvs)
    report.add(*in.shoot.spec.shoot.node_local_dns.enabled,
               "with IPVS, pods query 169.254.20.10, not the address of the DNS service");
}

constexpr Check<LintInputs> kNodeLocalDnsLints[] = {
    {{.id = "node-local-dns-settings-unused",
      .section = "§1.2",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "nodeLocalDNS has settings but is not enabled.",
      .why = "Without it nodes have no DNS cache, and the settings have no effect.",
      .remedy = "set systemComponents.nodeLocalDNS.enabled: true, or remove them",
      .source = "gardener/gardener docs/usage/networking/node-local-dns.md"},
     check_unused},
    {{.id = "node-local-dns-with-ipvs",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "NodeLocalDNS is combined with kube-proxy's mode IPVS.",
      .why = "With IPVS every node has the service's address, so the cache listens on the "
             "link-local 169.254.20.10 only. Network policies and resolv.conf must name it, and "
             "switching the mode or the cache rolls the nodes.",
      .remedy = "allow 169.254.20.10 in network policies for DNS",
      .source = "gardener/gardener docs/usage/networking/node-local-dns.md"},
     check_ipvs},
};

}  // namespace

std::span<const Check<LintInputs>> node_local_dns_lints() {
  return kNodeLocalDnsLints;
}

}  // namespace overlane::rules

#include <fmt/format.h>

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/rules/lint_conditions.h"

namespace overlane::cilium {

namespace {

using effective::Stage;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_forced_off(const LintInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.kube_proxy_enabled;
  if (in.shoot.stage == Stage::Create && enabled && enabled->value)
    report.add(*enabled, "admission disables kube-proxy in every new cilium shoot");
}

void check_half_address(const LintInputs& in, RuleReport& report) {
  const auto& host = in.config.api_server_host;
  const auto& port = in.config.api_server_port;
  if (host && !port) report.add(*host, fmt::format("{} has no effect without a port", host->path));
  if (port && !host) report.add(*port, fmt::format("{} has no effect without a host", port->path));
}

void check_external_address(const LintInputs& in, RuleReport& report) {
  if (replaces_kube_proxy(in.shoot) && !gives_api_server(in.config) &&
      in.shoot.spec.shoot.advertised_addresses.empty())
    report.add(
        "without kube-proxy, agents reach the API server by the shoot's advertised address "
        "\"external\"");
}

void check_announcements(const LintInputs& in, RuleReport& report) {
  if (in.config.l2_announcements && in.config.l2_announcements->value &&
      !replaces_kube_proxy(in.shoot))
    report.add(*in.config.l2_announcements, "l2Announcements is on, but so is kube-proxy");
}

void check_mode(const LintInputs& in, RuleReport& report) {
  const auto& mode = in.config.load_balancing_mode;
  if (mode && mode->value != "snat" && !replaces_kube_proxy(in.shoot))
    report.add(*mode, fmt::format("loadBalancingMode {} has no effect while kube-proxy is on",
                                  mode->value));
}

constexpr Check<LintInputs> kServiceLints[] = {
    {{.id = "kube-proxy-forced-off",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A new cilium shoot asks for kube-proxy, which admission disables.",
      .why = "The extension's admission writes kubeProxy.enabled: false into every new shoot, "
             "regardless of the manifest. It can be enabled later.",
      .remedy = "remove kubeProxy.enabled, or enable it after the shoot was created",
      .source = "gardener-extension-networking-cilium pkg/admission/mutator/shoot.go"},
     check_forced_off},
    {{.id = "cilium-half-api-server-address",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Only one of k8sServiceHost and k8sServicePort is given.",
      .why = "The chart uses them only if both are given; otherwise it uses the shoot's advertised "
             "address.",
      .remedy = "give both, or neither",
      .source = kCharts},
     check_half_address},
    {{.id = "cilium-needs-external-address",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Without kube-proxy, cilium has no known address of the API server.",
      .why = "The address comes from kubeproxy.k8sServiceHost and k8sServicePort, otherwise from "
             "the shoot's advertised address with the name external in its status. Without one, "
             "reconciliation fails.",
      .remedy = "give both fields where the shoot has no external address",
      .source = kCharts},
     check_external_address},
    {{.id = "l2-announcements-with-kube-proxy",
      .section = "§1.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "l2Announcements is enabled although kube-proxy runs.",
      .why = "Cilium announces addresses of services that it translates itself; with kube-proxy it "
             "translates none.",
      .remedy = "set kubeProxy.enabled: false, or remove l2Announcements",
      .source = "Cilium documentation, L2 announcements"},
     check_announcements},
    {{.id = "load-balancing-with-kube-proxy",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "loadBalancingMode is set although kube-proxy runs.",
      .why = "While kube-proxy is on, it handles services from outside and translates the source "
             "address.",
      .remedy = "set kubeProxy.enabled: false, or remove loadBalancingMode",
      .source = kCharts},
     check_mode},
};

bool is_enabled(const Field<bool>& field) {
  return field && field->value;
}

void check_given_up(const LintInputs& in, RuleReport& report) {
  if (!is_enabled(in.config.bpf_masquerade)) return;
  for (const auto& snat : {in.config.snat_to_upstream_dns, in.config.snat_out_of_cluster})
    if (is_enabled(snat))
      report.add(*in.config.bpf_masquerade,
                 fmt::format("enableBPFMasquerade has no effect together with {}", snat->path));
}

void check_ipv6(const LintInputs& in, RuleReport& report) {
  if (is_enabled(in.config.ipv6_masquerade) && !in.shoot.families.has(Family::Ipv6))
    report.add(*in.config.ipv6_masquerade, "the shoot has no IPv6 to masquerade");
}

void check_bpf_ipv6(const LintInputs& in, RuleReport& report) {
  if (is_enabled(in.config.bpf_masquerade) && !in.shoot.families.has(Family::Ipv4))
    report.add(*in.config.bpf_masquerade, "masquerading in eBPF is rendered for IPv4 only");
}

void check_pods_shown(const LintInputs& in, RuleReport& report) {
  if (in.config.ipv4_masquerade && !in.config.ipv4_masquerade->value &&
      in.shoot.families.has(Family::Ipv4))
    report.add(*in.config.ipv4_masquerade,
               "packets leave the cluster with pods' own IPv4 addresses");
}

constexpr Check<LintInputs> kMasqueradeLints[] = {
    {{.id = "bpf-masquerade-given-up",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "enableBPFMasquerade is dropped because of snatToUpstreamDNS or snatOutOfCluster.",
      .why = "snatToUpstreamDNS and snatOutOfCluster are iptables rules: with either, the chart "
             "leaves all masquerading to iptables.",
      .remedy = "remove enableBPFMasquerade, or both snat switches",
      .source = kCharts},
     check_given_up},
    {{.id = "masquerade-of-absent-ipv6",
      .section = "§1.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "enableIpv6Masquerade is set in a shoot without IPv6.",
      .why = "Without IPv6 among the families it has no effect.",
      .remedy = "remove enableIpv6Masquerade",
      .source = kCharts},
     check_ipv6},
    {{.id = "bpf-masquerade-without-ipv4",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "enableBPFMasquerade is set in a shoot without IPv4.",
      .why = "The chart renders it for IPv4 only.",
      .remedy = "remove enableBPFMasquerade",
      .source = kCharts},
     check_bpf_ipv6},
    {{.id = "pods-not-masqueraded",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Pods leave the cluster with their own addresses, not their nodes'.",
      .why = "With enableIpv4Masquerade: false, destinations see pod addresses and need a route to "
             "them; internet gateways usually have none.",
      .remedy = "remove enableIpv4Masquerade: false unless the network routes pods",
      .source = kCharts},
     check_pods_shown},
};

void compare_switch(const LintInputs& in, const Field<bool>& given, Family family,
                    RuleReport& report) {
  const bool written = in.shoot.families.has(family);
  if (given && given->value != written)
    report.add(*given, fmt::format("{} is overwritten with {} because of ipFamilies", given->path,
                                   written));
}

void check_switches(const LintInputs& in, RuleReport& report) {
  compare_switch(in, in.config.ipv4_enabled, Family::Ipv4, report);
  compare_switch(in, in.config.ipv6_enabled, Family::Ipv6, report);
}

void check_operator(const LintInputs& in, RuleReport& report) {
  constexpr std::int64_t kNodesForTwo = 2;
  const auto& workers = in.shoot.spec.shoot.workers;
  if (!workers.empty() && rules::count_nodes(in.shoot.spec.shoot).minimum < kNodesForTwo)
    report.add("spec.provider.workers", workers.front().place,
               "with a minimum of fewer than two nodes, Cilium's operator has one replica");
}

constexpr Check<LintInputs> kAgentLints[] = {
    {{.id = "family-switch-overwritten",
      .section = "§1.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "ipv4.enabled or ipv6.enabled contradicts ipFamilies and is overwritten.",
      .why = "The actuator writes both from the shoot's families and discards the user's values.",
      .remedy = "remove ipv4 and ipv6, and set ipFamilies",
      .source = "gardener-extension-networking-cilium pkg/controller/actuator_reconcile.go"},
     check_switches},
    {{.id = "cilium-single-operator",
      .section = "§2.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Cilium's operator has one replica.",
      .why = "It has two replicas where the workers' minimum is two nodes or more. With one, new "
             "nodes and identities wait while it moves.",
      .remedy = "raise a pool's minimum",
      .source = kCharts},
     check_operator},
};

}  // namespace

std::span<const Check<LintInputs>> service_lints() {
  return kServiceLints;
}

std::span<const Check<LintInputs>> masquerade_lints() {
  return kMasqueradeLints;
}

std::span<const Check<LintInputs>> agent_lints() {
  return kAgentLints;
}

}  // namespace overlane::cilium

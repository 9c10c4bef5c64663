#include <fmt/format.h>

#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/cni/cilium/sources.h"

namespace overlane::cilium {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

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

}  // namespace

std::span<const Check<LintInputs>> masquerade_lints() {
  return kMasqueradeLints;
}

}  // namespace overlane::cilium

#include "topologies/cni/calico/masquerade.h"
#include "topologies/cni/calico/rule_tables.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_policy(const LintInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.node_local_dns.enabled;
  // FELIX_CHAININSERTMODE is Append where the rule for upstream DNS precedes Felix's own.
  if (enabled && enabled->value && decide_dns_snat(in.config, in.shoot).value)
    report.add(*enabled,
               "with NodeLocalDNS and without an overlay no network policy blocks pods' DNS");
}

constexpr Check<LintInputs> kDnsLints[] = {
    {{.id = "node-local-dns-escapes-policy",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Network policies do not apply to DNS through NodeLocalDNS.",
      .why = "Where snatToUpstreamDNS is on, Felix appends its chains instead of inserting them "
             "first. The rules of NodeLocalDNS then accept pods' DNS before any policy applies.",
      .remedy = "set snatToUpstreamDNS.enabled: false, use an overlay, or remove the policy",
      .source = "gardener-extension-networking-calico docs/usage/usage.md"},
     check_policy},
};

}  // namespace

std::span<const Check<LintInputs>> dns_lints() {
  return kDnsLints;
}

}  // namespace overlane::calico

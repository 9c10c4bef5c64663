#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::Provider;
namespace {

bool has_ipv6(const LintInputs& in) {
  return in.shoot.families.has(Family::Ipv6);
}

void check_alicloud(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.fabric.pods_without_ipv6 && has_ipv6(in))
    report.add(*in.shoot.spec.ip_families,
               fmt::format("IPv6 is among the families, but on {} only load balancers have it",
                           in.shoot.provider.name));
}

void check_aws(const LintInputs& in, RuleReport& report) {
  const auto& dual_stack = in.shoot.spec.shoot.infrastructure.dual_stack;
  if (in.shoot.provider.infrastructure.switches_dual_stack && has_ipv6(in) && dual_stack &&
      !dual_stack->value)
    report.add(*dual_stack,
               "IPv6 is among the families, but the infrastructureConfig switches it off");
}

void check_order(const LintInputs& in, RuleReport& report) {
  if (in.shoot.families.secondary() == Family::Ipv4)
    report.add(*in.shoot.spec.ip_families, "IPv6 comes before IPv4");
}

void check_absent(const LintInputs& in, RuleReport& report) {
  if (in.shoot.spec.object.kind == "Network" && !in.shoot.spec.ip_families)
    report.add("the Network has no ipFamilies, which means IPv4");
}

void check_configured(const LintInputs& in, RuleReport& report) {
  const auto& configured = in.shoot.spec.status_ip_families;
  const auto& wanted = in.shoot.spec.ip_families;
  if (configured && wanted && configured->value.size() < wanted->value.size())
    report.add(*configured, "the network extension has configured only the first IP family so far",
               node_replacement(in.shoot.spec.shoot,
                                "roll the nodes; the constraint DualStackNodesMigrationReady shows "
                                "what is missing"));
}

constexpr const char* kNetworkValidation =
    "gardener/gardener pkg/api/extensions/validation/network.go";

constexpr Check<LintInputs> kFamilyLints[] = {
    {{.id = "alicloud-pods-without-ipv6",
      .section = "§4.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Pods on Alibaba Cloud have no IPv6.",
      .why = "The provider's dual-stack applies to load balancers only: pods and nodes get no IPv6 "
             "addresses.",
      .remedy = "use ipFamilies: [IPv4] and dualStack.enabled in the infrastructureConfig",
      .source = "gardener-extension-provider-alicloud docs/usage/usage.md"},
     check_alicloud},
    {{.id = "aws-infrastructure-without-ipv6",
      .section = "§4.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "An AWS shoot with IPv6 has an infrastructure without IPv6.",
      .why = "Pods' IPv6 ranges are delegated from the VPC's, which has none with "
             "dualStack.enabled: false.",
      .remedy = "remove dualStack.enabled: false from the infrastructureConfig",
      .source = "gardener-extension-provider-aws docs/usage/ipv6.md"},
     check_aws},
    {{.id = "families-not-configured",
      .section = "§5.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The Network's status lacks an IP family of its spec.",
      .why = "While a shoot becomes dual-stack, its pods have only the first family until every "
             "node has a pod CIDR of the second.",
      .remedy = "roll the nodes; the constraint DualStackNodesMigrationReady shows what is missing",
      .source = "gardener/gardener pkg/gardenlet/operation/botanist/dualstackmigration.go"},
     check_configured},
    {{.id = "ip-family-order",
      .section = "N8",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A dual-stack shoot does not have IPv4 first.",
      .why = "ipFamilies may change from [IPv4] to [IPv4, IPv6], and back. No change leads to or "
             "from [IPv6, IPv4]: the shoot keeps this order permanently.",
      .remedy = "use ipFamilies: [IPv4, IPv6] unless the order matters",
      .source = kNetworkValidation},
     check_order},
    {{.id = "network-families-absent",
      .section = "N8",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A Network does not name its IP families.",
      .why = "An absent list means IPv4, but validation compares exactly: changes to IPv4 and to "
             "dual-stack are forbidden.",
      .remedy = "write ipFamilies: [IPv4] into a new Network",
      .source = kNetworkValidation},
     check_absent},
};

}  // namespace

std::span<const Check<LintInputs>> family_lints() {
  return kFamilyLints;
}

}  // namespace overlane::rules

#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Rules about IP families: configurations that the providers' admission refuses, and lints about
// shoots that are being migrated to dual-stack (Gardener's
// docs/usage/networking/dual-stack-networking-migration.md).
namespace overlane::rules {

using effective::NetworkInputs;
using effective::Provider;
using provider::Ipv6Rule;
namespace {

constexpr const char* kShootValidator =
    "gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go";

bool has_ipv6(const NetworkInputs& in) {
  return in.families.has(Family::Ipv6);
}

void check_ipv6_supported(const NetworkInputs& in, RuleReport& report) {
  if (!has_ipv6(in)) return;
  const bool single = !in.families.is_dual_stack();
  if (in.provider.admission.ipv6 == Ipv6Rule::Forbidden ||
      (single && in.provider.admission.ipv6 == Ipv6Rule::DualOnly))
    report.add(*in.spec.ip_families,
               fmt::format("provider {} does not support {}", in.provider.name,
                           single ? "IPv6-only shoots" : "dual-stack shoots"));
}

void check_ipv6_routed(const NetworkInputs& in, RuleReport& report) {
  if (has_ipv6(in) && in.provider.admission.ipv6_needs_routed && in.overlay.enabled != false)
    report.add(
        *in.spec.ip_families,
        fmt::format("provider {} admits IPv6 only with overlay.enabled: false", in.provider.name));
}

void check_openstack_networks(const NetworkInputs& in, RuleReport& report) {
  if (!in.provider.infrastructure.dual_stack_needs_networks || !in.families.is_dual_stack() ||
      in.spec.shoot.infrastructure.ipv6_networks)
    return;
  report.add(*in.spec.ip_families,
             "the shoot is dual-stack, but its infrastructureConfig has no networks.ipv6");
}

constexpr Check<NetworkInputs> kFamilyChecks[] = {
    {{.id = "provider-without-ipv6",
      .section = "§2.6",
      .title = "The provider does not support the shoot's IP families.",
      .why = "azure knows neither IPv6-only nor dual-stack shoots, gcp and openstack no IPv6-only "
             "ones; their admission refuses them.",
      .remedy = "use ipFamilies: [IPv4]",
      .source = kShootValidator},
     check_ipv6_supported},
    {{.id = "ipv6-with-overlay",
      .section = "§2.6",
      .title = "A shoot with IPv6 has an overlay, which AWS and GCP refuse.",
      .why = "Their validators demand the key overlay.enabled with the value false as soon as "
             "IPv6 is among the families.",
      .remedy = "set overlay.enabled: false",
      .source = kShootValidator},
     check_ipv6_routed},
    {{.id = "openstack-dual-stack-networks",
      .section = "§4.5",
      .title = "A dual-stack OpenStack shoot does not say where its IPv6 ranges come from.",
      .why = "The provider's validator demands networks.ipv6, with a subnet pool or with ranges.",
      .remedy = "give networks.ipv6 in the infrastructureConfig",
      .source = "gardener-extension-provider-openstack pkg/apis/openstack/validation/shoot.go"},
     check_openstack_networks},
};

}  // namespace

std::span<const Check<NetworkInputs>> family_checks() {
  return kFamilyChecks;
}

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

namespace {

void check_nodes(const LintInputs& in, RuleReport& report) {
  const auto* ready = in.shoot.spec.shoot.constraint("DualStackNodesMigrationReady");
  if (ready == nullptr) return;
  const auto& families = in.shoot.spec.ip_families;
  const bool dual = families && families->value.size() > 1;
  if (dual != (ready->status == "True"))
    report.add(
        "status.constraints", ready->place,
        fmt::format("the constraint DualStackNodesMigrationReady is {} ({}): until the nodes are "
                    "replaced, the network extension configures the first family only",
                    ready->status, ready->reason),
        node_replacement(in.shoot.spec.shoot,
                         "roll the nodes and wait until the constraint disappears"));
}

void check_dns(const LintInputs& in, RuleReport& report) {
  if (const auto* ready = in.shoot.spec.shoot.constraint("DNSServiceMigrationReady"))
    report.add("status.constraints", ready->place,
               fmt::format("the constraint DNSServiceMigrationReady is {} ({}): the DNS service "
                           "still has one address",
                           ready->status, ready->reason));
}

constexpr Check<LintInputs> kMigrationLints[] = {
    {{.id = "dual-stack-migration-running",
      .section = "§5.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Nodes do not yet have all IP families of the spec.",
      .why = "While nodes are rolled from one family to two, or back, the network extension uses "
             "the first family only: the results for the second family do not apply yet.",
      .remedy = "roll the nodes and wait until the constraint disappears",
      .source = "gardener/gardener docs/usage/networking/dual-stack-networking-migration.md"},
     check_nodes},
    {{.id = "dns-migration-running",
      .section = "§5.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The DNS service of a dual-stack shoot lacks an address of one family.",
      .why = "It gets the second one after CoreDNS was restarted.",
      .remedy = "wait for the next reconciliation",
      .source = "gardener/gardener docs/usage/networking/dual-stack-networking-migration.md"},
     check_dns},
};

}  // namespace

std::string node_replacement(const manifest::ShootSpec& shoot, std::string_view rolling) {
  std::string kept;
  for (const manifest::WorkerPool& pool : shoot.workers) {
    const std::string_view why = pool.control_plane           ? "runs the control plane"
                                 : pool.is_updated_in_place() ? "is updated in place"
                                                              : "";
    if (!why.empty()) kept += fmt::format("{}pool {} {}", kept.empty() ? "" : ", ", pool.name, why);
  }
  if (kept.empty()) return std::string(rolling);
  return fmt::format(
      "no update replaces all nodes ({}): add nodes of a pool with rolling updates and move the "
      "pods there, or take machines out one at a time",
      kept);
}

std::span<const Check<LintInputs>> migration_lints() {
  return kMigrationLints;
}

}  // namespace overlane::rules

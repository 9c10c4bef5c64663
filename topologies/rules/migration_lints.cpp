#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
using effective::Provider;
using effective::RoutesBy;
using effective::Stage;
namespace {

void check_nodes(const LintInputs& in, RuleReport& report) {
  const auto* ready = in.shoot.spec.shoot.constraint("DualStackNodesMigrationReady");
  if (ready == nullptr) return;
  const auto& families = in.shoot.spec.ip_families;
  const bool dual = families && families->value.size() > 1;
  if (dual != (ready->status == "True"))
    report.add(
        "status.constraints", ready->place,
        fmt::format("the constraint DualStackNodesMigrationReady is {} ({}): until the nodes "
                    "are rolled the network extension configures the first family only",
                    ready->status, ready->reason));
}

void check_dns(const LintInputs& in, RuleReport& report) {
  if (const auto* ready = in.shoot.spec.shoot.constraint("DNSServiceMigrationReady"))
    report.add(
        "status.constraints", ready->place,
        fmt::format("the constraint DNSServiceMigrationReady is {} ({}): the DNS service has "
                    "one address yet",
                    ready->status, ready->reason));
}

/// A routed calico shoot that may have had an overlay before.
bool may_have_switched(const LintInputs& in) {
  const NetworkInputs& shoot = in.shoot;
  return shoot.spec.type.value == "calico" && shoot.stage == Stage::Live &&
         shoot.overlay.enabled == false &&
         shoot.provider.routes.pods == provider::PodPath::RouteTable;
}

void check_asleep(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  const auto& asleep = shoot.hibernation ? shoot.hibernation : shoot.hibernated;
  if (may_have_switched(in) && in.shoot.provider.routes.cleans_up_calico && asleep &&
      asleep->value && !shoot.control_plane.calico_cleanup_completed)
    report.add(*asleep,
               "the shoot sleeps: what calico wrote about the nodes' network is cleaned up "
               "only when it is awake");
}

void check_no_clean_up(const LintInputs& in, RuleReport& report) {
  if (may_have_switched(in) && !in.shoot.provider.routes.cleans_up_calico &&
      in.shoot.provider.is_known())
    report.add(
        fmt::format("provider {} does not clean up what calico wrote about the nodes' "
                    "network when the overlay was switched off",
                    in.shoot.provider.name));
}

constexpr const char* kCleanUp =
    "gardener-extension-provider-<name> pkg/controller/controlplane/actuator.go";

constexpr Check<LintInputs> kMigrationLints[] = {
    {{.id = "dual-stack-migration-running",
      .section = "§5.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Nodes do not yet have all IP families of the spec.",
      .why = "While nodes are rolled from one family to two, or back, the network extension uses "
             "the first family only: the answers given here for the second are not true yet.",
      .remedy = "roll the nodes and wait until the constraint is gone",
      .source = "gardener/gardener docs/usage/networking/dual-stack-networking-migration.md"},
     check_nodes},
    {{.id = "dns-migration-running",
      .section = "§5.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::Nobody,
      .title = "The DNS service of a dual-stack shoot lacks an address of one family.",
      .why = "It gets the second one after CoreDNS was restarted.",
      .remedy = "wait for the next reconciliation",
      .source = "gardener/gardener docs/usage/networking/dual-stack-networking-migration.md"},
     check_dns},
    {{.id = "clean-up-while-asleep",
      .section = "§5.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::Nobody,
      .title = "The overlay is switched off while the shoot is hibernated.",
      .why = "The conditions CalicoIsUp and CalicoIsDown that calico leaves on nodes are removed "
             "once after the switch, but not in hibernation: nodes may look unavailable after the "
             "shoot woke up.",
      .remedy = "wake the shoot up and look at the condition NetworkUnavailable of its nodes",
      .source = kCleanUp},
     check_asleep},
    {{.id = "no-clean-up-after-overlay",
      .section = "§5.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::Nobody,
      .title = "The provider does not remove calico's node conditions after the overlay is off.",
      .why =
          "aws, gcp and openstack do, azure and alicloud do not: a condition CalicoIsDown that a "
          "stopping calico-node left behind keeps a node tainted, and in the end it is replaced.",
      .remedy = "look at the condition NetworkUnavailable of the nodes after the switch",
      .source = kCleanUp},
     check_no_clean_up},
};

}  // namespace

std::span<const Check<LintInputs>> migration_lints() {
  return kMigrationLints;
}

}  // namespace overlane::rules

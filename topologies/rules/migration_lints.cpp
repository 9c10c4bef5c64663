#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {
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

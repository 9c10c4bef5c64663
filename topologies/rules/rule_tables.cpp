#include "topologies/rules/rule_tables.h"

namespace overlane::rules {

using effective::NetworkInputs;
namespace {

constexpr RuleTable<NetworkInputs> kGardener[] = {range_checks, node_mask_checks, kube_proxy_checks,
                                                  seed_checks};
constexpr RuleTable<NetworkInputs> kProviders[] = {family_checks, overlay_checks,
                                                   infrastructure_checks, network_identity_checks};
constexpr RuleTable<NetworkInputs> kOmissionTables[] = {missing_part_checks, seed_omission_checks};
constexpr RuleTable<LintInputs> kLintTables[] = {
    range_lints,   reserved_range_lints, node_range_lints,     family_lints,
    overlay_lints, route_lints,          route_quota_lints,    shared_network_lints,
    fabric_lints,  link_mtu_lints,       node_local_dns_lints, migration_lints,
    seed_lints};

}  // namespace

RuleTables<NetworkInputs> gardener_checks() {
  return kGardener;
}

RuleTables<NetworkInputs> provider_checks() {
  return kProviders;
}

RuleTables<NetworkInputs> omission_checks() {
  return kOmissionTables;
}

RuleTables<LintInputs> lints() {
  return kLintTables;
}

}  // namespace overlane::rules

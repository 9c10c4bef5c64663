#include "topologies/cni/cilium/rule_tables.h"

namespace overlane::cilium {
namespace {

constexpr rules::RuleTable<CheckInputs> kCheckTables[] = {feature_checks, address_checks};
constexpr rules::RuleTable<LintInputs> kLintTables[] = {
    tunnel_lints, service_lints, masquerade_lints, encryption_lints, agent_lints};

}  // namespace

rules::RuleTables<CheckInputs> checks() {
  return kCheckTables;
}

rules::RuleTables<LintInputs> lints() {
  return kLintTables;
}

}  // namespace overlane::cilium

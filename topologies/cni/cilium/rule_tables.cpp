#include "topologies/cni/cilium/rule_tables.h"

namespace overlane::cilium {
namespace {

constexpr effective::RuleTable<CheckInputs> kCheckTables[] = {feature_checks, address_checks};
constexpr effective::RuleTable<LintInputs> kLintTables[] = {
    tunnel_lints, service_lints, masquerade_lints, encryption_lints, agent_lints};

}  // namespace

effective::RuleTables<CheckInputs> checks() {
  return kCheckTables;
}

effective::RuleTables<LintInputs> lints() {
  return kLintTables;
}

}  // namespace overlane::cilium

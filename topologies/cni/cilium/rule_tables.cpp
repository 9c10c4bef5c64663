#include "topologies/cni/cilium/rule_tables.h"

namespace overlane::cilium {
namespace {

constexpr effective::RuleTable<CheckInputs> kChecks[] = {feature_checks, address_checks};
constexpr effective::RuleTable<LintInputs> kLints[] = {
    tunnel_lints, service_lints, masquerade_lints, encryption_lints, agent_lints};

}  // namespace

effective::RuleTables<CheckInputs> checks() {
  return kChecks;
}

effective::RuleTables<LintInputs> lints() {
  return kLints;
}

}  // namespace overlane::cilium

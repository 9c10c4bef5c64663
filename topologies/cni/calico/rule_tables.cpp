#include "topologies/cni/calico/rule_tables.h"

namespace overlane::calico {
namespace {

constexpr effective::RuleTable<CheckInputs> kCheckTables[] = {service_checks, family_checks};
constexpr effective::RuleTable<LintInputs> kLintTables[] = {
    row_lints,         mtu_lints,       ebpf_lints, ipam_lints,
    overwritten_lints, component_lints, dns_lints,  switch_lints};

}  // namespace

effective::RuleTables<CheckInputs> checks() {
  return kCheckTables;
}

effective::RuleTables<LintInputs> lints() {
  return kLintTables;
}

}  // namespace overlane::calico

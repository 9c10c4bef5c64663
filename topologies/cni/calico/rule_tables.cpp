#include "topologies/cni/calico/rule_tables.h"

namespace overlane::calico {
namespace {

constexpr rules::RuleTable<CheckInputs> kCheckTables[] = {service_checks, family_checks};
constexpr rules::RuleTable<LintInputs> kLintTables[] = {
    clean_up_lints,    row_lints,       mtu_lints, ebpf_lints,    ipam_lints,
    overwritten_lints, component_lints, dns_lints, seamless_lints};

}  // namespace

rules::RuleTables<CheckInputs> checks() {
  return kCheckTables;
}

rules::RuleTables<LintInputs> lints() {
  return kLintTables;
}

}  // namespace overlane::calico

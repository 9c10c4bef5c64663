#pragma once

#include "topologies/cni/calico/config.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/rules/rule_tables.h"

namespace overlane::calico {

// The rules about one Calico shoot, as tables of rules::Check with one table per subject.
// checks() are about what admission or reconciliation refuses; lints() are about accepted
// configuration that loses packets or has no effect. switch_lints() concern an update of a
// running shoot and are run by `check --update`. Rules run in the order of the tables.

using CheckInputs = cni::ExtensionInputs<NetworkConfig>;
using LintInputs = cni::ExtensionLintInputs<NetworkConfig>;

/// Configuration that the extension's admission or reconciliation refuses.
rules::RuleTables<CheckInputs> checks();
/// Configuration that is accepted, but misbehaves.
rules::RuleTables<LintInputs> lints();

// The tables that these join, one per subject.

std::span<const rules::Check<CheckInputs>> service_checks();
std::span<const rules::Check<CheckInputs>> family_checks();

std::span<const rules::Check<LintInputs>> clean_up_lints();
std::span<const rules::Check<LintInputs>> row_lints();
std::span<const rules::Check<LintInputs>> mtu_lints();
std::span<const rules::Check<LintInputs>> ebpf_lints();
std::span<const rules::Check<LintInputs>> ipam_lints();
std::span<const rules::Check<LintInputs>> overwritten_lints();
std::span<const rules::Check<LintInputs>> component_lints();
std::span<const rules::Check<LintInputs>> dns_lints();
std::span<const rules::Check<LintInputs>> seamless_lints();

/// Rules about an update that changes the dataplane (cni::Profile::switch_lints).
std::span<const rules::Check<cni::SwitchInputs>> switch_lints();

}  // namespace overlane::calico

#pragma once

#include "topologies/cni/calico/config.h"
#include "topologies/effective/extension_inputs.h"
#include "topologies/effective/rule_tables.h"

namespace overlane::calico {

using CheckInputs = effective::ExtensionInputs<NetworkConfig>;
using LintInputs = effective::ExtensionLintInputs<NetworkConfig>;

/// What the extension's admission or reconciliation refuses.
effective::RuleTables<CheckInputs> checks();
/// What is applied and disappoints.
effective::RuleTables<LintInputs> lints();

// What these join, each of one subject.

std::span<const effective::Check<CheckInputs>> service_checks();
std::span<const effective::Check<CheckInputs>> family_checks();

std::span<const effective::Check<LintInputs>> row_lints();
std::span<const effective::Check<LintInputs>> mtu_lints();
std::span<const effective::Check<LintInputs>> ebpf_lints();
std::span<const effective::Check<LintInputs>> ipam_lints();
std::span<const effective::Check<LintInputs>> overwritten_lints();
std::span<const effective::Check<LintInputs>> component_lints();
std::span<const effective::Check<LintInputs>> dns_lints();
std::span<const effective::Check<LintInputs>> switch_lints();

}  // namespace overlane::calico

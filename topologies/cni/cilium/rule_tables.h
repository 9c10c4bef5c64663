#pragma once

#include "topologies/cni/cilium/config.h"
#include "topologies/effective/extension_inputs.h"
#include "topologies/effective/rule_tables.h"

namespace overlane::cilium {

using CheckInputs = effective::ExtensionInputs<NetworkConfig>;
using LintInputs = effective::ExtensionLintInputs<NetworkConfig>;

/// What the extension's admission or reconciliation refuses.
effective::RuleTables<CheckInputs> checks();
/// What is applied and disappoints.
effective::RuleTables<LintInputs> lints();

// What these join, each of one subject.

std::span<const effective::Check<CheckInputs>> feature_checks();
std::span<const effective::Check<CheckInputs>> address_checks();

std::span<const effective::Check<LintInputs>> tunnel_lints();
std::span<const effective::Check<LintInputs>> service_lints();
std::span<const effective::Check<LintInputs>> masquerade_lints();
std::span<const effective::Check<LintInputs>> encryption_lints();
std::span<const effective::Check<LintInputs>> agent_lints();

}  // namespace overlane::cilium

#pragma once

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/rules/rule_tables.h"

namespace overlane::cilium {

using CheckInputs = cni::ExtensionInputs<NetworkConfig>;
using LintInputs = cni::ExtensionLintInputs<NetworkConfig>;

/// Configuration that the extension's admission or reconciliation refuses.
rules::RuleTables<CheckInputs> checks();
/// Configuration that is accepted, but misbehaves.
rules::RuleTables<LintInputs> lints();

// The tables that these join, one per subject.

std::span<const rules::Check<CheckInputs>> feature_checks();
std::span<const rules::Check<CheckInputs>> address_checks();

std::span<const rules::Check<LintInputs>> tunnel_lints();
std::span<const rules::Check<LintInputs>> service_lints();
std::span<const rules::Check<LintInputs>> masquerade_lints();
std::span<const rules::Check<LintInputs>> encryption_lints();
std::span<const rules::Check<LintInputs>> agent_lints();

/// Rules about an update that changes the dataplane (cni::Profile::switch_lints).
std::span<const rules::Check<cni::SwitchInputs>> switch_lints();

}  // namespace overlane::cilium

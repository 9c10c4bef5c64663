#pragma once

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/cni/extension/profile.h"

namespace overlane::cilium {

// Cilium as Gardener installs it: gardener-extension-networking-cilium renders the chart and the
// ConfigMap cilium-config from a shoot's NetworkConfig, and cilium-agent configures each node from
// it, mostly with eBPF programs. config.h decodes the NetworkConfig and dataplane.h derives the
// dataplane that the chart configures. This header declares the profile (the only part that other
// folders use) and its parts. Each part is defined in the .cpp file of its name.

/// The profile of gardener-extension-networking-cilium.
extern const cni::Profile kCilium;

extern const cni::NodeCompiler kNodes;   // node.cpp
extern const cni::LiveComparison kLive;  // live.cpp

using CheckInputs = cni::ExtensionInputs<NetworkConfig>;
using LintInputs = cni::ExtensionLintInputs<NetworkConfig>;

/// Configuration that the extension's admission or reconciliation refuses.
std::span<const rules::Check<CheckInputs>> checks();
/// Configuration that is accepted, but loses packets or has no effect. The tables run in order.
rules::RuleTables<LintInputs> lints();
/// Rules about an update that changes the dataplane of a running shoot (`check --update`).
std::span<const rules::Check<cni::SwitchInputs>> switch_lints();

}  // namespace overlane::cilium

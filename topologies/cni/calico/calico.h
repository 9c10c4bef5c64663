#pragma once

#include "topologies/cni/calico/config.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/cni/extension/profile.h"
#include "topologies/effective/landscape.h"

namespace overlane::calico {

// Calico as Gardener installs it: gardener-extension-networking-calico renders Calico's chart from
// a shoot's NetworkConfig, and calico-node (Felix and BIRD) configures each node from it. config.h
// decodes the NetworkConfig and dataplane.h derives the dataplane that the chart configures. This
// header declares the profile (the only part that other folders use), the relevant releases of
// Calico, and the parts of the profile.

/// The profile of gardener-extension-networking-calico.
extern const cni::Profile kCalico;

// Releases of Calico that decide how a shoot's nodes behave. Gardener's documents do not contain
// the release. It comes from `--set landscape.calico.version`, or by default from the image vector
// of the extension.

/// The release that the extension ships (gardener-extension-networking-calico
/// imagevector/images.yaml, v1.60). Also the default of landscape.calico.version.
inline constexpr effective::CalicoVersion kShippedCalico{3, 31};

/// From this release on, Felix programs the routes of IPIP pools by default; before, BIRD did
/// (projectcalico/calico pull request 13470, design/cluster-route-programming).
inline constexpr effective::CalicoVersion kFelixProgramsIpip{3, 33};

/// The first release whose Felix answers kube-proxy's health port (projectcalico/calico pull
/// request 10947, September 2025).
inline constexpr effective::CalicoVersion kAnswersHealthChecks{3, 32};

extern const cni::NodeCompiler kNodes;   // node.cpp
extern const cni::LiveComparison kLive;  // live.cpp

using CheckInputs = cni::ExtensionInputs<NetworkConfig>;
using LintInputs = cni::ExtensionLintInputs<NetworkConfig>;

/// Configuration that the extension's admission or reconciliation refuses.
std::span<const rules::Check<CheckInputs>> checks();

// Configuration that is accepted, but loses packets or has no effect: one table per subject.

std::span<const rules::Check<LintInputs>> row_lints();  // dataplane_lints.cpp
std::span<const rules::Check<LintInputs>> mtu_lints();
std::span<const rules::Check<LintInputs>> ipam_lints();
std::span<const rules::Check<LintInputs>> overwritten_lints();

std::span<const rules::Check<LintInputs>> ebpf_lints();  // component_lints.cpp
std::span<const rules::Check<LintInputs>> component_lints();
std::span<const rules::Check<LintInputs>> dns_lints();

std::span<const rules::Check<LintInputs>> clean_up_lints();  // switch_lints.cpp
std::span<const rules::Check<LintInputs>> seamless_lints();
/// Rules about an update that changes the dataplane of a running shoot (`check --update`).
std::span<const rules::Check<cni::SwitchInputs>> switch_lints();

}  // namespace overlane::calico

#pragma once

#include "topologies/effective/landscape.h"

// Releases of Calico that decide how a shoot's nodes behave. No Gardener document says which
// release runs: `--set landscape.calico.version` does, or the extension's image vector.
namespace overlane::calico {

/// The release that the extension ships (gardener-extension-networking-calico
/// imagevector/images.yaml, v1.60). The default of landscape.calico.version says the same.
inline constexpr effective::CalicoVersion kShippedCalico{3, 31};

/// From this release Felix programs the routes of IPIP pools by default, before it was BIRD
/// (projectcalico/calico pull request 13470, design/cluster-route-programming).
inline constexpr effective::CalicoVersion kFelixProgramsIpip{3, 33};

/// The release whose Felix answers kube-proxy's health port (projectcalico/calico pull request
/// 10947, September 2025).
inline constexpr effective::CalicoVersion kAnswersHealthChecks{3, 32};

}  // namespace overlane::calico

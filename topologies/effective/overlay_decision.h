#pragma once

#include <optional>

#include "topologies/effective/basis.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/cluster_spec.h"
#include "topologies/manifest/spec/network_config.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

/// The overlay block as the network extension finds it, after the provider's admission.
struct OverlayDecision {
  std::optional<bool> enabled;  ///< Absent: no overlay key.
  bool pod_routes = false;
  Provenance basis;
  Provenance pod_routes_basis;
  manifest::Field<manifest::Overlay> given;  ///< The block as the manifest has it.
};

OverlayDecision decide_overlay(const manifest::PodNetworkSpec& spec,
                               const provider::Profile& provider, const Landscape& landscape,
                               Stage stage);

}  // namespace overlane::effective

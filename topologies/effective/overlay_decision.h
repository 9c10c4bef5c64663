#pragma once

#include <optional>

#include "topologies/effective/landscape.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

/// The overlay block after the provider's admission, as the network extension reads it.
struct OverlayDecision {
  std::optional<bool> enabled;  ///< Absent: no overlay key.
  bool pod_routes = false;
  Provenance basis;
  Provenance pod_routes_basis;
  manifest::Field<manifest::Overlay> given;  ///< The block in the manifest.
};

OverlayDecision decide_overlay(const manifest::PodNetworkSpec& spec,
                               const provider::Profile& provider, const Landscape& landscape,
                               Stage stage);

}  // namespace overlane::effective

#pragma once

#include <string_view>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/given.h"

namespace overlane::manifest {

/// What a ControlPlaneConfig says about routes, and what its provider noted on the ControlPlane.
struct ControlPlane {
  /// aws `cloudControllerManager.useCustomRouteController`.
  Field<bool> custom_route_controller;
  /// The annotation `<provider>.provider.extensions.gardener.cloud/calico-cleanup-completed`: the
  /// conditions that Calico left behind were removed after the overlay was switched off.
  Field<bool> calico_cleanup_completed;
};

/// Reads a ControlPlaneConfig. Only aws has a field that matters, so other fields are not judged.
void decode_control_plane_config(std::string_view provider, const document::Value& config,
                                 ControlPlane& out, document::Problems& problems);

/// Looks for the annotation among those of a ControlPlane.
void decode_control_plane_annotations(const document::Value& annotations, ControlPlane& out);

}  // namespace overlane::manifest

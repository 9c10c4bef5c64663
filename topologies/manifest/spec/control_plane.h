#pragma once

#include <string>
#include <string_view>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

/// The routing fields of a ControlPlaneConfig, and the provider's annotation on the ControlPlane.
struct ControlPlane {
  /// The ControlPlane object, else the shoot's controlPlaneConfig, by its name in a sentence;
  /// absent: neither is given.
  Field<std::string> given;
  /// aws `cloudControllerManager.useCustomRouteController`.
  Field<bool> custom_route_controller;
  /// stackit `cloudControllerManager.name`: the cloud controller manager that runs.
  Field<std::string> cloud_controller_manager;
  /// The annotation `<provider>.provider.extensions.gardener.cloud/calico-cleanup-completed`:
  /// Calico's node conditions were removed after the overlay was switched off.
  Field<bool> calico_cleanup_completed;
};

/// Decodes a ControlPlaneConfig. Only aws and stackit have a relevant field; other fields are not
/// checked.
void decode_control_plane_config(std::string_view provider, const document::Value& config,
                                 ControlPlane& out, document::Problems& problems);

/// Reads the annotation of a ControlPlane.
void decode_control_plane_annotations(const document::Value& annotations, ControlPlane& out);

}  // namespace overlane::manifest

#include "topologies/manifest/spec/control_plane.h"

#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/fields/unknown_fields.h"

namespace overlane::manifest {

using document::Fields;
using document::Value;

void decode_control_plane_config(std::string_view provider, const Value& config, ControlPlane& out,
                                 document::Problems& problems) {
  if (config)
    out.given = Located<std::string>{config.path(), config.place(), document::FieldPath(config)};
  if (provider != "aws" && provider != "stackit") return;
  Fields fields(config, problems);
  Fields manager = fields.fields("cloudControllerManager");
  if (provider == "stackit") {
    out.cloud_controller_manager = given_one_of(manager, "name", {"stackit", "openstack"});
    warn_misspelt(manager.value(), {"name", "featureGates"}, problems);
    return;
  }
  out.custom_route_controller = given_bool(manager, "useCustomRouteController");
  warn_misspelt(manager.value(), {"useCustomRouteController"}, problems);
}

void decode_control_plane_annotations(const Value& annotations, ControlPlane& out) {
  constexpr std::string_view kCleanupCompleted =
      ".provider.extensions.gardener.cloud/calico-cleanup-completed";
  if (!annotations.is(document::Kind::Mapping)) return;
  for (const Value entry : annotations)
    if (entry.key().ends_with(kCleanupCompleted))
      out.calico_cleanup_completed =
          Located<bool>{entry.text() == "true", entry.place(), document::FieldPath(entry)};
}

}  // namespace overlane::manifest

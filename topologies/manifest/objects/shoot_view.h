#pragma once

#include <optional>

#include "topologies/manifest/objects/object_head.h"

namespace overlane::manifest {

// Where the parts of a shoot are in a document. A shoot comes as a Shoot of the current API, as
// one of the API of 2020, inside a ManagedSeedSet, a Runtime or a seed's Cluster, or as a patch;
// the view hides the difference. It refers to the document, which must outlive it.

/// The parts of a shoot in a document; absent parts are absent values.
struct ShootView {
  ShootForm form = ShootForm::Shoot;
  ObjectName name;        ///< Name of the shoot (kind Shoot), not of an object that embeds it.
  document::Value whole;  ///< The mapping that holds the parts.
  document::Value metadata;
  document::Value spec;
  document::Value status;
  Field<std::string> live;  ///< Evidence that the shoot was read from a landscape.

  document::Value networking() const { return spec["networking"]; }
  /// Whether this is a complete shoot, not a patch. Networks of the 2020 API default to calico.
  bool is_whole() const;
};

/// Whether the value is present and not an empty string.
bool is_given(const document::Value& value);

/// Whether an object of Role::Shoot is a complete shoot, by a quick test.
bool describes_whole_shoot(const ObjectHead& object);

/// The shoot of an object of Role::Shoot. `root` is the object's root, with patches applied.
ShootView view_shoot(const ObjectHead& object, const document::Value& root);

/// The key of a shoot that is probably a misspelt `networking` or `type`; absent if there is none.
document::Value misspelt_network_type(const ShootView& shoot);

/// The finding that the shoot in `object` is not used, because it has no network type at `path`.
/// The hint names a misspelt key if there is one. If the shoot has no networking block, the finding
/// is located at `whole`.
Finding without_network_type(const ObjectName& object, const document::Value& whole,
                             const ShootView& shoot, std::string_view path, std::string hint);

/// The shoot that a Cluster embeds; its `whole` is absent if there is none.
ShootView view_embedded_shoot(const ObjectHead& cluster);

/// The finding if a Cluster embeds a shoot of an unknown API.
std::optional<Finding> unknown_embedded_shoot(const ObjectHead& cluster);

/// `status.technicalID`, or the default derived from the names: shoot--<project>--<name> for the
/// namespace garden-<project>. Empty if both are missing.
std::string technical_id(const ShootView& shoot);

}  // namespace overlane::manifest

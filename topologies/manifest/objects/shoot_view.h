#pragma once

#include <optional>

#include "topologies/manifest/objects/object_head.h"

namespace overlane::manifest {

/// A shoot where a document keeps it. Values are absent where it has no such part.
struct ShootView {
  ShootForm form = ShootForm::Shoot;
  ObjectName name;        ///< Of the shoot: kind Shoot, whatever holds it.
  document::Value whole;  ///< The mapping that holds the parts.
  document::Value metadata;
  document::Value spec;
  document::Value status;
  Field<std::string> live;  ///< What shows that the shoot was read from a landscape.

  document::Value networking() const { return spec["networking"]; }
  /// Whether there is enough of it to be the shoot itself, not a patch of one. Networks of the 2020
  /// API are calico unless they say otherwise.
  bool is_whole() const;
};

/// Whether there is a value that is no empty text.
bool is_given(const document::Value& value);

/// Whether an object of Role::Shoot is whole, without looking at the rest of it.
bool describes_whole_shoot(const ObjectHead& object);

/// The shoot of an object of Role::Shoot. `root` is the object's, or what patches made of it.
ShootView view_shoot(const ObjectHead& object, const document::Value& root);

/// The key that is close to `networking` or its `type`, in a shoot without it.
document::Value misspelt_network_type(const ShootView& shoot);

/// Why the shoot in `object`, without network type at `path`, is not used; the hint names a
/// misspelt key if there is one. Without networking it is about `whole`.
Finding without_network_type(const ObjectName& object, const document::Value& whole,
                             const ShootView& shoot, std::string_view path, std::string hint);

/// The shoot that a Cluster embeds; its `whole` is absent if there is none.
ShootView view_embedded_shoot(const ObjectHead& cluster);

/// Why what a Cluster embeds is no shoot of a known API.
std::optional<Finding> embedded_otherwise(const ObjectHead& cluster);

/// `status.technicalID`, or what Gardener makes of the names: shoot--<project>--<name> for the
/// namespace garden-<project>. Empty if neither is there.
std::string technical_id(const ShootView& shoot);

}  // namespace overlane::manifest

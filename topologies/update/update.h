#pragma once

#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"
#include "topologies/rules/rule.h"

// Rules about the change from one version of a Shoot or Network to the next: fields that
// Gardener's validation does not let change, values that admission restores or writes, and
// accepted changes that interrupt traffic. They model Gardener's ValidateShootUpdate and the
// admission plugins of the provider and network extensions; each rule names its source. Rules
// compare fields as written, because admission does, and derive both versions only for changes
// that are accepted.
namespace overlane::update {

/// The parts of an object as written; absent where no document gives them.
struct ObjectParts {
  document::Value metadata;
  document::Value spec;
};

/// An object before and after an update.
struct ObjectUpdate {
  ObjectParts before;
  ObjectParts after;
};

/// The update of a pod network, decoded.
struct SpecUpdate {
  const ObjectUpdate& object;
  const manifest::PodNetworkSpec& before;
  const manifest::PodNetworkSpec& after;
  const effective::Landscape& landscape;
  effective::Stage stage;  ///< Stage of `before`.

  const provider::Profile& provider() const;
};

/// Findings of the rules about updates for an object that is not, or no longer, a pod network.
/// `after` has its name and place.
Findings judge_object(const ObjectUpdate& update, const manifest::PodNetworkSpec& after);

/// Findings of the rules about updates for a pod network. Rules about accepted updates that
/// misbehave run only if no rule refuses the update. `options` apply to `before`.
Findings judge_update(const ObjectUpdate& update, const manifest::PodNetworkSpec& before,
                      const manifest::PodNetworkSpec& after, const derive::DeriveOptions& options);

/// `after` as admission changes it: it restores an overlay key that the update removes, and writes
/// one into objects without it. `stage` is set to the stage at which to derive the result.
manifest::PodNetworkSpec admitted_update(const manifest::PodNetworkSpec& before,
                                         const manifest::PodNetworkSpec& after,
                                         const derive::DeriveOptions& options,
                                         derive::StageChoice& stage);

/// Every rule about updates.
std::vector<const rules::Rule*> rules();

}  // namespace overlane::update

#pragma once

#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"
#include "topologies/rules/rule.h"

namespace overlane::update {

/// An object's parts as they are written; absent what no document gives.
struct ObjectParts {
  document::Value metadata;
  document::Value spec;
};

/// An object as it is, and as somebody wants it to become.
struct ObjectUpdate {
  ObjectParts before;
  ObjectParts after;
};

/// The same, decoded.
struct SpecUpdate {
  const ObjectUpdate& object;
  const manifest::PodNetworkSpec& before;
  const manifest::PodNetworkSpec& after;
  const effective::Landscape& landscape;
  effective::Stage stage;  ///< Of `before`.

  const provider::Profile& provider() const;
};

/// The same with what the pods get before and after.
struct Switch {
  const SpecUpdate& update;
  const effective::EffectiveDataplane& before;
  const effective::EffectiveDataplane& after;
};

/// What the rules about updates say of an object that is not, or no longer, a pod network.
/// `after` names it and its place.
Findings judge_object(const ObjectUpdate& update, const manifest::PodNetworkSpec& after);

/// What they say of a pod network. What disappoints is looked for only where nothing is refused.
/// `options` hold for `before`.
Findings judge_update(const ObjectUpdate& update, const manifest::PodNetworkSpec& before,
                      const manifest::PodNetworkSpec& after, const derive::DeriveOptions& options);

/// `after` as admission leaves it: an overlay key that the provider does not let go is back, and
/// what is written into objects without one is there. `stage` becomes the one that the result is to
/// be derived at.
manifest::PodNetworkSpec admitted_update(const manifest::PodNetworkSpec& before,
                                         const manifest::PodNetworkSpec& after,
                                         const derive::DeriveOptions& options,
                                         derive::StageChoice& stage);

/// Every rule about updates.
std::vector<const rules::Rule*> rules();

}  // namespace overlane::update

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/derive/derive.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"
#include "topologies/rules/rule.h"

// Rules about the change from one version of a Shoot or Network to the next: fields that
// Gardener's validation does not let change, values that admission restores or writes, and
// accepted changes that interrupt traffic. They model Gardener's ValidateShootUpdate and the
// admission plugins of the provider and network extensions; each rule names its source. Rules
// compare fields as written, because admission does, and derive both versions only for changes
// that are accepted. The functions have no state and may be called on any thread.
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

  /// The profile of the provider of `after`.
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

// Internal to this folder: the tables of update rules, one function per subject, and the functions
// that model how admission changes the overlay key in an update.

/// Whether two values are equal to Kubernetes: the order of a mapping's keys is ignored, and a null
/// is an absent field.
bool same_value(const document::Value& a, const document::Value& b);

/// Whether the provider's admission restores an overlay key that an update removes.
bool keeps_overlay_key(const provider::Profile& provider, std::string_view network_type);

/// Whether admission switches off the overlay of a live shoot without overlay key at the next
/// change of its spec (openstack, in landscapes that are routed by default).
bool switches_overlay_off_silently(const manifest::PodNetworkSpec& before,
                                   const manifest::PodNetworkSpec& after,
                                   const provider::Profile& provider,
                                   const effective::Landscape& landscape, effective::Stage stage);

using rules::Check;

/// Rules about the object as a whole.
std::span<const Check<ObjectUpdate>> object_checks();
/// Rules about fields that may not change or may change only to certain values.
std::span<const Check<SpecUpdate>> field_checks();
/// Rules about the InfrastructureConfig, by provider.
std::span<const Check<SpecUpdate>> infrastructure_checks();
/// Rules about the overlay key, which admission writes.
std::span<const Check<SpecUpdate>> overlay_checks();
/// Rules about a change of the dataplane of a running shoot, for every CNI.
std::span<const Check<cni::SwitchInputs>> switch_lints();
/// Rules about a change of IP families or of service routing.
std::span<const Check<cni::SwitchInputs>> family_lints();

}  // namespace overlane::update

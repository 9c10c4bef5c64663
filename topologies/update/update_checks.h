#pragma once

#include <span>
#include <string_view>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"
#include "topologies/update/update.h"

// The tables of update rules, one function per subject, and what admission does with an updated
// overlay key. Internal to this folder.
namespace overlane::update {

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
/// Rules about fields that may not change, or only in some ways.
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

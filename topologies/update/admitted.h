#pragma once

#include <string_view>

#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::update {

/// Whether the provider's admission restores an overlay key that an update removes.
bool keeps_overlay_key(const provider::Profile& provider, std::string_view network_type);

/// Whether admission switches off the overlay of a live shoot without overlay key at the next
/// change of its spec (openstack, in landscapes that are routed by default).
bool switches_overlay_off_silently(const manifest::PodNetworkSpec& before,
                                   const manifest::PodNetworkSpec& after,
                                   const provider::Profile& provider,
                                   const effective::Landscape& landscape, effective::Stage stage);

}  // namespace overlane::update

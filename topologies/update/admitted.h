#pragma once

#include <string_view>

#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::update {

/// Whether the provider's admission puts an overlay key back that an update leaves out.
bool keeps_overlay_key(const provider::Profile& provider, std::string_view network_type);

/// Whether it switches a live shoot without overlay key off at the next change of its spec
/// (openstack, in landscapes that are routed by default).
bool switches_overlay_off_silently(const manifest::PodNetworkSpec& before,
                                   const manifest::PodNetworkSpec& after,
                                   const provider::Profile& provider,
                                   const effective::Landscape& landscape, effective::Stage stage);

}  // namespace overlane::update

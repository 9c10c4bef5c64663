#pragma once

#include "topologies/manifest/spec/cluster_spec.h"

namespace overlane::manifest {

// Two documents about one shoot become one. Where both speak and differ, the one that does not
// count gets a warning `documents-disagree` that names the other's place; the findings are about
// `spec.object`.

/// Lays what a Network says over what its shoot says: in the seed it is the Network that the
/// network extension reads.
void lay_network_over(PodNetworkSpec& spec, const PodNetworkSpec& network, Findings& findings);

/// Adds what `other` says and `spec` does not. Of the shoot that a Cluster embeds (`other` is a
/// Shoot then) only what nobody can change, and what Gardener filled in.
void add_to(PodNetworkSpec& spec, const PodNetworkSpec& other, Findings& findings);

}  // namespace overlane::manifest

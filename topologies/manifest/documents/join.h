#pragma once

#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// Joins two documents about one shoot. Where they differ, the document that is overridden gets a
// warning `documents-disagree` with the other's location; the findings name `spec.object`.

/// Overrides the shoot's values with those of a Network: in the seed, the network extension reads
/// the Network.
void override_with(PodNetworkSpec& spec, const PodNetworkSpec& network, Findings& findings);

/// Adds values of `other` that `spec` lacks; a ControlPlane's configuration replaces that of the
/// Shoot. From the Shoot that a Cluster embeds (`other` is a
/// Shoot), adds only immutable fields and those that Gardener defaults.
void fill_from(PodNetworkSpec& spec, const PodNetworkSpec& other, Findings& findings);

}  // namespace overlane::manifest

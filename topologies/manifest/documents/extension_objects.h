#pragma once

#include "topologies/manifest/spec/cluster_decoder.h"

namespace overlane::manifest {

// What the objects of a seed say about the shoot in whose namespace they stand. Gardener writes
// them, so fields that are not known are nothing to report; but an InfrastructureConfig is judged
// as in a Shoot.

/// spec.{type, region, providerConfig}, status.{providerStatus, networking, egressCIDRs}, and
/// status.nodesCIDR, the form before 2024.
Decoded decode_infrastructure(const ObjectHead& object);
/// spec.{type, providerConfig} and the annotation of the clean-up after a switch.
Decoded decode_control_plane(const ObjectHead& object);
/// spec.{type, region, pools}.
Decoded decode_worker(const ObjectHead& object);

}  // namespace overlane::manifest

#pragma once

#include "topologies/manifest/spec/pod_network_decoder.h"

namespace overlane::manifest {

// Decoders of a seed's extension objects, which belong to the shoot of their namespace. Gardener
// writes them, so unknown fields are not reported; an InfrastructureConfig is checked as in a
// Shoot.

/// spec.{type, region, providerConfig}, status.{providerStatus, networking, egressCIDRs}, and
/// status.nodesCIDR, the form before 2024.
Decoded decode_infrastructure(const ObjectHead& object);
/// spec.{type, providerConfig} and the annotation of the clean-up after an overlay switch.
Decoded decode_control_plane(const ObjectHead& object);
/// spec.{type, region, pools}.
Decoded decode_worker(const ObjectHead& object);

}  // namespace overlane::manifest

#pragma once

#include <optional>

#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// From one document to a PodNetworkSpec: a Shoot or its patch, a Network, the Infrastructure,
// ControlPlane and Worker of a seed, or a fragment such as a lone NetworkConfig. Each function
// returns all findings and, if the document can be read, what it says about the network; joining
// documents is the task of joined_shoot.h. The functions are pure and are called on several
// threads.

/// The pod network of one document and all its findings, or the one finding that says why there is
/// none. `type` is empty if the document does not set it.
struct Decoded {
  std::optional<PodNetworkSpec> spec;
  Findings findings;
};

/// A named Shoot, complete or a patch.
Decoded decode_shoot(const ShootView& shoot);
/// A part of a Shoot without a name.
Decoded decode_shoot_part(const ShootView& shoot);
Decoded decode_network(const ObjectHead& object);

/// The finding if a document contains unfilled values.
std::optional<Finding> unfilled_finding(const ObjectName& name,
                                        std::initializer_list<document::Value> read,
                                        const document::Value& whole);

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

/// Decodes a document that is a part of a manifest without a name: a NetworkConfig or an
/// InfrastructureConfig alone, or a mapping without kind that starts with `spec:`, `networking:`,
/// `provider:` or `infrastructureConfig:`. Checks it as strictly as the whole. The last finding is
/// an `incomplete-document` that names what is missing; if the part cannot be read, the only
/// finding says why. Nothing if the document is no such part.
std::optional<Decoded> decode_fragment(const ObjectHead& object);

}  // namespace overlane::manifest

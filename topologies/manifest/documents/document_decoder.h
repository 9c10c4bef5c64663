#pragma once

#include <optional>

#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// Decodes one document to a PodNetworkSpec: a Shoot or its patch, a Network, the Infrastructure,
// ControlPlane or Worker of a seed, or a fragment such as a NetworkConfig alone. Each function
// returns all findings and, if the document can be read, its part of the pod network.
// joined_shoot.h joins documents. The functions are pure and are called on several threads.

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
/// The Network of a shoot in a seed.
Decoded decode_network(const ObjectHead& object);

/// The finding if a document contains an unfilled value. The values in `read` are searched first,
/// with find_unfilled(), and then the whole document, with find_unfinished().
std::optional<Finding> unfilled_finding(const ObjectName& name,
                                        std::initializer_list<document::Value> read,
                                        const document::Value& whole);

// Decoders of a seed's extension objects, which belong to the shoot of their namespace. Gardener
// writes them, so unknown fields are not reported; an InfrastructureConfig is checked as in a
// Shoot.

/// Decodes spec.{type, region, providerConfig}, status.{providerStatus, networking, egressCIDRs}
/// and status.nodesCIDR, the form before 2024.
Decoded decode_infrastructure(const ObjectHead& object);
/// Decodes spec.{type, providerConfig} and the annotation about the clean-up after an overlay
/// switch.
Decoded decode_control_plane(const ObjectHead& object);
/// Decodes spec.{type, region, pools}.
Decoded decode_worker(const ObjectHead& object);

/// Decodes a document that is a part of a manifest without a name: a NetworkConfig or an
/// InfrastructureConfig alone, or a mapping without kind that starts with `spec:`, `networking:`,
/// `provider:` or `infrastructureConfig:`. Checks it as strictly as in a whole manifest. The last
/// finding is an `incomplete-document` that names the missing parts; if the part cannot be read,
/// the only finding says why. Nothing if the document is no such part.
std::optional<Decoded> decode_fragment(const ObjectHead& object);

}  // namespace overlane::manifest

#pragma once

#include <optional>

#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

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

}  // namespace overlane::manifest

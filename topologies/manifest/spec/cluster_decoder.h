#pragma once

#include <optional>

#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/manifest/spec/cluster_spec.h"

namespace overlane::manifest {

/// What one document says about a pod network, and all that is wrong with it; or the one finding
/// that says why it says nothing. An empty type: it does not say that.
struct Decoded {
  std::optional<PodNetworkSpec> spec;
  Findings findings;
};

/// A Shoot that has a name, whole or in part.
Decoded decode_shoot(const ShootView& shoot);
/// The same for a part that does not say whose it is.
Decoded decode_shoot_part(const ShootView& shoot);
Decoded decode_network(const ObjectHead& object);

/// Why the documents, though well-formed, cannot be decoded: values that were never filled in.
std::optional<Finding> unfilled_finding(const ObjectName& name,
                                        std::initializer_list<document::Value> read,
                                        const document::Value& whole);

}  // namespace overlane::manifest

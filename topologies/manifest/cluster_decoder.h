#pragma once

#include <optional>

#include "topologies/manifest/cluster_spec.h"
#include "topologies/manifest/object_head.h"

namespace overlane::manifest {

/// One decoded object: the spec and all that is wrong with it, or the one finding that says why
/// there is none.
struct Decoded {
  std::optional<ClusterSpec> spec;
  Findings findings;
};

Decoded decode_shoot(const ObjectHead& object);
/// The shoot embedded in an extensions Cluster.
Decoded decode_cluster(const ObjectHead& object);
/// Whether the Cluster embeds a shoot that a Network can take its provider and workers from.
bool embeds_shoot(const ObjectHead& cluster);
/// `cluster` is the Cluster document of the Network's namespace, or absent.
Decoded decode_network(const ObjectHead& object, const document::Value& cluster);

}  // namespace overlane::manifest

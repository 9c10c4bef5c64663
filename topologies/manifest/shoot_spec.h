#pragma once

#include "topologies/document/fields.h"
#include "topologies/manifest/cluster_spec.h"

namespace overlane::manifest {

/// Decodes what a Shoot (root: apiVersion, kind, spec, status) says besides its CNI.
ShootSpec decode_shoot_spec(const document::Value& shoot, document::Problems& problems);

/// Reads a CIDR as core Gardener does: host bits are an error.
Field<IpPrefix> decode_cidr(const document::Value& value, document::Problems& problems);

}  // namespace overlane::manifest

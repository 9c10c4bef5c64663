#pragma once

#include "topologies/manifest/spec/cluster_decoder.h"

namespace overlane::manifest {

/// Reads a document that is a part of a manifest, without saying of which: a NetworkConfig or an
/// InfrastructureConfig alone, or a mapping without kind that begins with `spec:`, `networking:`,
/// `provider:` or `infrastructureConfig:`. It is read as strictly as the whole would be; the last
/// finding is an `incomplete-document` that names what it lacks, or, if it cannot be read, there is
/// only the finding that says why. Nothing if it is no such part.
std::optional<Decoded> decode_fragment(const ObjectHead& object);

}  // namespace overlane::manifest

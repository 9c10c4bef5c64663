#pragma once

#include "topologies/manifest/spec/pod_network_decoder.h"

namespace overlane::manifest {

/// Decodes a document that is a part of a manifest without a name: a NetworkConfig or an
/// InfrastructureConfig alone, or a mapping without kind that starts with `spec:`, `networking:`,
/// `provider:` or `infrastructureConfig:`. Checks it as strictly as the whole. The last finding is
/// an `incomplete-document` that names what is missing; if the part cannot be read, the only
/// finding says why. Nothing if the document is no such part.
std::optional<Decoded> decode_fragment(const ObjectHead& object);

}  // namespace overlane::manifest

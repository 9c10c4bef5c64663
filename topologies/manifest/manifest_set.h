#pragma once

#include <vector>

#include "topologies/document/parse.h"
#include "topologies/manifest/cluster_spec.h"

namespace overlane::manifest {

/// Everything the given documents say about pod networks.
struct ManifestSet {
  std::vector<ClusterSpec> clusters;  ///< In order of the documents.
  Findings findings;                  ///< In order of the documents.
};

/// How much is said about an object that Gardener's admission refuses.
enum class Detail {
  Summary,  ///< One finding `not-admitted`; the object is not in `clusters`.
  All,      ///< Every finding by its own rule; the object is in `clusters` if it could be read.
};

/// Decodes every document. Each becomes a ClusterSpec, or is used by one (a Cluster by the Network
/// in the namespace of its name), or gets exactly one finding that names why not:
///   unsupported-kind (note), unsupported-api-version, unsupported-fragment,
///   placeholder, template, elision, not-admitted, duplicate-object, empty-list (note).
/// A Network finds its Cluster in its own file, else in another one if there is exactly one. A
/// Cluster whose shoot is of another API or another network type than the Network is not used.
/// Used documents may add warnings: deprecated-field, unknown-field, unknown-provider. The stream's
/// own findings come first.
ManifestSet decode(const document::Stream& stream, Detail detail = Detail::Summary);

}  // namespace overlane::manifest

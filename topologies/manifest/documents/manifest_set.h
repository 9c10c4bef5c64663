#pragma once

#include <functional>
#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/unused.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// All pod networks of the input, and one finding for every document that is not used. decode()
// collects them; decode_each() delivers them one by one with bounded memory, for landscapes of
// thousands of shoots. Results are in the order of the documents and do not depend on the number
// of threads.

/// What the documents contain besides pod networks.
struct Leftover {
  /// Parts of shoots that no document completes. They cannot be explained, but their network
  /// extension can check type and providerConfig.
  std::vector<PodNetworkSpec> fragments;
  Findings findings;  ///< In order of the documents; those of Seeds and CloudProfiles last.
};

/// All pod networks of the given documents.
struct ManifestSet : Leftover {
  std::vector<PodNetworkSpec> clusters;  ///< In order of the documents.
};

/// Decodes every document. Documents about one shoot are joined to one PodNetworkSpec (Grouping
/// chooses them, decode_joined() joins them); every other document gets exactly one finding with
/// the reason:
///   unsupported-kind (note; one for all objects of a kind and file if they are many),
///   unsupported-api-version, unsupported-fragment, incomplete-document, placeholder, template,
///   elision, not-admitted, duplicate-object, ambiguous-document, unused-document (note),
///   empty-list (note).
/// Used documents may add warnings: deprecated-field, deprecated-api-version, documents-disagree,
/// unknown-field, unknown-provider; and the note patch-applied. The stream's own findings come
/// first.
ManifestSet decode(const document::Stream& stream, Detail detail = Detail::Summary);

/// decode(), one network at a time: `work` gets each on any thread, concurrently; the function that
/// it returns is called in document order on the calling thread. The result does not depend on the
/// number of threads (0: one per core). A Shoot that no other document joins is freed after it,
/// unless the caller keeps the stream.
using ClusterWork = std::function<std::function<void()>(PodNetworkSpec&&)>;
Leftover decode_each(document::Stream stream, Detail detail, const ClusterWork& work,
                     unsigned threads = 0);

}  // namespace overlane::manifest

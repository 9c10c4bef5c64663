#pragma once

#include <functional>
#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/not_admitted.h"
#include "topologies/manifest/spec/cluster_spec.h"

namespace overlane::manifest {

/// What documents say beside the networks that they describe.
struct Leftover {
  /// Parts of shoots that no document completes: there is nothing to explain, but a type and a
  /// providerConfig can be judged by their network extension.
  std::vector<PodNetworkSpec> fragments;
  Findings findings;  ///< In order of the documents; those of Seeds and CloudProfiles last.
};

/// Everything the given documents say about pod networks.
struct ManifestSet : Leftover {
  std::vector<PodNetworkSpec> clusters;  ///< In order of the documents.
};

/// Decodes every document. Documents about one shoot are joined to one PodNetworkSpec (Grouping
/// says which, join.h how); every other document gets exactly one finding that names why not:
///   unsupported-kind (note; one for all objects of a kind and file if they are many),
///   unsupported-api-version, unsupported-fragment, incomplete-document, placeholder, template,
///   elision, not-admitted, duplicate-object, ambiguous-document, unused-document (note),
///   empty-list (note).
/// Used documents may add warnings: deprecated-field, deprecated-api-version, documents-disagree,
/// unknown-field, unknown-provider; and the note patch-applied. The stream's own findings come
/// first.
ManifestSet decode(const document::Stream& stream, Detail detail = Detail::Summary);

/// The same for those who need one network at a time: `work` gets each on any thread, beside
/// others; what it returns is called in order of the documents on the calling thread. Nothing
/// depends on the number of threads (0: one per core).
using ClusterWork = std::function<std::function<void()>(PodNetworkSpec&&)>;
Leftover decode_each(const document::Stream& stream, Detail detail, const ClusterWork& work,
                     unsigned threads = 0);

}  // namespace overlane::manifest

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "topologies/document/read/ordered_work.h"
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

/// Decodes the documents of an input in groups of consecutive ones, for decode_each().
class GroupDecoder {
 public:
  /// A decoded shoot's first document, and its findings.
  struct Shoot {
    const ObjectHead* leader = nullptr;
    Findings findings;
  };

  GroupDecoder(document::Stream stream, Detail detail, unsigned threads);
  ~GroupDecoder();

  std::size_t groups() const;
  /// Passes each pod network of a group to `use`. May be called on any thread.
  std::vector<Shoot> decode(std::size_t group, const std::function<void(PodNetworkSpec)>& use);
  /// Collects what else the group's documents contain, and frees each Shoot that no other document
  /// joins. To be called for each group in order, on one thread.
  void add(std::size_t group, const std::vector<Shoot>& shoots);
  /// After all groups.
  Leftover finish();

 private:
  class Input;
  std::unique_ptr<Input> input_;
};

/// decode(), one network at a time: `work` gets each on any thread, concurrently; `deliver` gets
/// the results in document order on the calling thread. The result does not depend on the number of
/// threads (0: one per core). A Shoot that no other document joins is freed after it, unless the
/// caller keeps the stream.
template <typename Work, typename Deliver>
Leftover decode_each(document::Stream stream, Detail detail, Work work, Deliver deliver,
                     unsigned threads = 0) {
  struct Worked {
    std::vector<std::invoke_result_t<Work&, PodNetworkSpec>> results;
    std::vector<GroupDecoder::Shoot> shoots;
  };
  GroupDecoder decoder(std::move(stream), detail, threads);
  document::OrderedWork ordered(threads);
  for (std::size_t group = 0; group < decoder.groups(); ++group)
    ordered.add(
        [&decoder, &work, group] {
          Worked worked;
          worked.shoots = decoder.decode(
              group, [&](PodNetworkSpec spec) { worked.results.push_back(work(std::move(spec))); });
          return worked;
        },
        [&decoder, &deliver, group](Worked worked) {
          for (auto& result : worked.results)
            deliver(std::move(result));
          decoder.add(group, worked.shoots);
        });
  ordered.finish();
  return decoder.finish();
}

}  // namespace overlane::manifest

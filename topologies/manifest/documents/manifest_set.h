#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/read/ordered_work.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/shoot_documents.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// Decodes all pod networks of the input, with a finding for every document that is not used.
// decode() collects them; decode_each() delivers them one by one with bounded memory, for
// landscapes of thousands of shoots. Results are in the order of the documents and do not depend on
// the number of threads.
//
// An object of the input is not used if Gardener's admission would refuse it, if it is incomplete,
// ambiguous or repeated, or if its kind does not concern pod networks. Many objects of a foreign
// kind are reported once per kind and file.

/// How an object that Gardener's admission refuses is reported.
enum class Detail {
  Summary,  ///< One finding `not-admitted`; the object is not used.
  All,      ///< Every finding with its own rule; the object is used if it can be read.
};

/// The one finding `not-admitted` for an object that Gardener's admission refuses: the first error
/// of `findings` with its own rule in the hint, and how many more there are. Nothing if no finding
/// is an error.
std::optional<Finding> not_admitted(const Findings& findings);

/// The finding that says why no shoot uses an object.
Finding why_unused(const ObjectHead& object, const Grouping& grouping);

/// A note about an object that is used although `first`, in another file, has the same kind and
/// name. The files may be of two landscapes, or of the time before and after a change.
Finding duplicate_in_other_file(const ObjectHead& object, const ObjectHead& first);

/// Reports objects of other kinds: one finding per object, or, if a file has many of a kind, one
/// finding at the first of them.
class ForeignKinds {
 public:
  explicit ForeignKinds(const std::vector<ObjectHead>& objects);

  /// The finding for `object`, unless an earlier one covers it.
  std::optional<Finding> name(const ObjectHead& object);

 private:
  struct Kind {
    std::size_t objects = 0;
    bool named = false;
  };
  std::map<std::tuple<std::string, std::string>, Kind> kinds_;  ///< By file and kind.
};

/// The content of the documents other than pod networks.
struct Leftover {
  /// Parts of shoots that no document completes. They cannot be explained, but their network
  /// extension can check type and providerConfig.
  std::vector<PodNetworkSpec> fragments;
  Findings findings;  ///< In order of the documents, findings about Seeds and CloudProfiles last.
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
  /// Collects the fragments and findings of the group's documents, and frees each Shoot that no
  /// other document joins. Call it for each group in order, on one thread.
  void add(std::size_t group, const std::vector<Shoot>& shoots);
  /// Returns the fragments and findings of all groups. Call it after add() of the last group.
  Leftover finish();

 private:
  class Input;
  std::unique_ptr<Input> input_;
};

/// Like decode(), but one network at a time: `work` gets each network on any thread, concurrently;
/// `deliver` gets the results in document order on the calling thread. The result does not depend
/// on the number of threads (0: one per core). A Shoot that no other document joins is freed after
/// its delivery, unless the caller keeps a copy of the stream.
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

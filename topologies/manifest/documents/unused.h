#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/manifest/documents/shoot_documents.h"

namespace overlane::manifest {

// Why an object of the input is used by no shoot: Gardener's admission would refuse it, it is
// incomplete, ambiguous or repeated, or it is of a kind that does not concern pod networks.
// Objects of foreign kinds are reported once per kind and file if they are many.

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
/// name: two landscapes, or before and after a change.
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

}  // namespace overlane::manifest

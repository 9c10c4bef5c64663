#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "topologies/manifest/documents/shoot_documents.h"

namespace overlane::manifest {

/// Why an object that no shoot uses is not used.
Finding why_unused(const ObjectHead& object, const Grouping& grouping);

/// A note about an object that is used although `first`, of another file, has its kind and name:
/// they may be of two landscapes, or before and after a change.
Finding told_twice(const ObjectHead& object, const ObjectHead& first);

/// Names objects of other kinds: each by itself, or, if a file has many of a kind, all in one
/// finding at the first of them.
class ForeignKinds {
 public:
  explicit ForeignKinds(const std::vector<ObjectHead>& objects);

  /// The finding for `object`, unless it was named with others before.
  std::optional<Finding> name(const ObjectHead& object);

 private:
  struct Kind {
    std::size_t objects = 0;
    bool named = false;
  };
  std::map<std::tuple<std::string, std::string>, Kind> kinds_;  ///< By file and kind.
};

}  // namespace overlane::manifest

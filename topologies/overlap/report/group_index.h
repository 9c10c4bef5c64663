#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// Finds the group of an overlap. Holds references into the groups.
class GroupIndex {
 public:
  explicit GroupIndex(const std::vector<Group>& groups);

  /// The index of the group; nothing: none of these.
  std::optional<std::size_t> of(const Overlap& overlap) const;

 private:
  /// Domain, rule, severity, kind, and whether it is sure.
  using Key = std::tuple<std::string_view, std::string_view, Severity, std::string_view, bool>;

  std::map<Key, std::size_t> groups_;
};

}  // namespace overlane::overlap

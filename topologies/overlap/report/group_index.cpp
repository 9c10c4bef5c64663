#include "topologies/overlap/report/group_index.h"

namespace overlane::overlap {

GroupIndex::GroupIndex(const std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    groups_.emplace(Key(group.routing_domain, group.impact.rule->id, group.impact.severity,
                        group.kind, group.impact.sure),
                    i);
  }
}

std::optional<std::size_t> GroupIndex::of(const Overlap& overlap) const {
  const auto look = [&](std::string_view domain) {
    return groups_.find(Key(domain, overlap.impact.rule->id, overlap.impact.severity, overlap.kind,
                            overlap.impact.sure));
  };
  auto found = look(overlap.routing_domain);
  if (found == groups_.end()) found = look("");  // Groups of single shoots have no domain.
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace overlane::overlap

#include <algorithm>

#include "dataplane/node/text/diff_lines.h"
#include "dataplane/node/text/fabric_lines.h"
#include "dataplane/node/text/side_by_side.h"
#include "dataplane/node/text/state_diff.h"

namespace overlane::node {
namespace {

template <typename Part>
bool same_names(const std::vector<Part>& before, const std::vector<Part>& after) {
  return std::ranges::equal(before, after, {}, &Part::name, &Part::name);
}

/// Lines name other parts, so they can differ while what they stand for is equal.
bool same_names(const FabricState& before, const FabricState& after) {
  return same_names(before.instances, after.instances) && same_names(before.groups, after.groups) &&
         same_names(before.subnets, after.subnets) &&
         same_names(before.route_tables, after.route_tables);
}

class FabricDiff {
 public:
  FabricDiff(const FabricState& before, const FabricState& after)
      : before_(before), after_(after), same_names_(same_names(before, after)) {}

  std::string run() {
    lines_.change(network_lines(before_), network_lines(after_));
    if (same_names_) {
      for (std::size_t i = 0; i < before_.route_tables.size(); ++i)
        routes(before_.route_tables[i], after_.route_tables[i]);
    } else {
      lines_.change(route_lines(before_), route_lines(after_));
    }
    if (!same_names_ || before_.instances != after_.instances)
      lines_.change(instance_lines(before_), instance_lines(after_));
    lines_.change(rule_lines(before_), rule_lines(after_));
    return lines_.text();
  }

 private:
  void routes(const RouteTable& before, const RouteTable& after) {
    const auto line = [](const FabricState& state, const RouteTable& table, const auto* entry) {
      return entry == nullptr
                 ? std::nullopt
                 : std::optional(route_line(state, table, entry->first, entry->second));
    };
    side_by_side(
        before.routes, after.routes, [](const auto& entry) { return entry.first; },
        [&](const auto* a, const auto* b) {
          if (a != nullptr && b != nullptr && a->second == b->second) return;
          lines_.change(line(before_, before, a), line(after_, after, b));
        });
  }

  static std::vector<std::string> route_lines(const FabricState& state) {
    std::vector<std::string> lines;
    for (const RouteTable& table : state.route_tables) {
      for (const auto& [destination, route] : table.routes)
        lines.push_back(route_line(state, table, destination, route));
    }
    return lines;
  }

  static std::vector<std::string> instance_lines(const FabricState& state) {
    std::vector<std::string> lines;
    for (const Instance& instance : state.instances)
      lines.push_back(instance_line(state, instance));
    return lines;
  }

  const FabricState& before_;
  const FabricState& after_;
  bool same_names_ = false;
  DiffLines lines_;
};

}  // namespace

std::string diff(const FabricState& before, const FabricState& after) {
  return FabricDiff(before, after).run();
}

}  // namespace overlane::node

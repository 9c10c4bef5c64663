#include "dataplane/node/text/state_diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "dataplane/node/text/state_text.h"

namespace overlane::node {
namespace {

std::map<std::string_view, int> counts(const std::vector<std::string>& lines) {
  std::map<std::string_view, int> counts;
  for (const std::string& line : lines)
    ++counts[line];
  return counts;
}

template <typename Part>
bool same_names(const std::vector<Part>& before, const std::vector<Part>& after) {
  return std::ranges::equal(before, after, {}, &Part::name, &Part::name);
}

/// Returns whether the parts have the same names. Lines contain names of other parts, so they can
/// differ although the parts are equal.
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

std::optional<std::string> line(const Device* device) {
  return device == nullptr ? std::nullopt : std::optional(to_string(*device));
}
std::optional<std::string> line(const NodeState& state, const LocalPod* pod) {
  return pod == nullptr ? std::nullopt : std::optional(pod_line(state, *pod));
}
std::optional<std::string> line(const RouteMatch* match) {
  return match == nullptr ? std::nullopt
                          : std::optional(to_string(match->destination, match->route));
}

class NodeDiff {
 public:
  NodeDiff(const NodeState& before, const NodeState& after) : before_(before), after_(after) {}

  std::string run() {
    side_by_side(
        before_.devices, after_.devices, [](const Device& d) { return d.name; },
        [&](const Device* a, const Device* b) { lines_.change(line(a), line(b)); });
    side_by_side(
        before_.pods, after_.pods, [](const LocalPod& p) { return p.address; },
        [&](const LocalPod* a, const LocalPod* b) { compare(a, b); });
    for (const bool ipv4 : {true, false})
      routes(ipv4);
    lines_.change(local_route_lines(before_), local_route_lines(after_));
    if (!same_peers()) {
      lines_.change(neighbour_lines(before_), neighbour_lines(after_));
      lines_.change(wireguard_lines(before_), wireguard_lines(after_));
    }
    if (!same_filters()) lines_.change(filter_lines(before_), filter_lines(after_));
    if (before_.services != after_.services)
      lines_.change(service_lines(before_), service_lines(after_));
    lines_.change(sysctl_lines(before_), sysctl_lines(after_));
    return lines_.text();
  }

 private:
  bool same_table() const {
    return before_.cluster == after_.cluster && before_.self == after_.self;
  }

  /// Returns whether the routes to peers are the same, apart from the nodes' own routes and
  /// `removed`.
  bool same_peer_routes() const {
    if (!same_table()) return false;
    const ClusterTable& table = *before_.cluster;
    return std::ranges::all_of(
        std::initializer_list<const PeerRoute*>{&table.ipv4.same_subnet, &table.ipv4.other_subnet,
                                                &table.ipv6.same_subnet, &table.ipv6.other_subnet,
                                                &table.ipv4.encrypted, &table.ipv6.encrypted},
        [&](const PeerRoute* route) {
          return route->via == PeerRoute::Via::None ||
                 before_.is_up(route->device) == after_.is_up(route->device);
        });
  }

  /// Returns whether the lines of peers are the same: neighbour and FDB entries and WireGuard's
  /// peers follow from the table and the devices.
  bool same_peers() const {
    const auto needs = [](const NodeState& state) {
      std::vector<std::tuple<DeviceName, DeviceKind, Family, bool, bool, bool, std::uint16_t>> list;
      for (const Device& d : state.devices)
        list.emplace_back(d.name, d.kind, d.underlay, d.external, d.remote.has_value(),
                          d.allows_nodes, d.udp_port);
      return list;
    };
    return same_table() && needs(before_) == needs(after_);
  }

  bool same_filters() const {
    return before_.cluster == after_.cluster && before_.filter == after_.filter;
  }

  void compare(const LocalPod* before, const LocalPod* after) {
    lines_.change(line(before_, before), line(after_, after));
    if (before == nullptr || after == nullptr) {
      touched_.insert(IpPrefix::host((before != nullptr ? before : after)->address));
    }
  }

  /// Returns the destinations whose routes may differ although the peers' routes are the same.
  std::set<IpPrefix> touched() const {
    std::set<IpPrefix> prefixes = touched_;
    for (const NodeState* state : {&before_, &after_}) {
      for (const auto& [prefix, route] : state->routes)
        prefixes.insert(prefix);
      prefixes.insert(state->removed.begin(), state->removed.end());
    }
    return prefixes;
  }

  void routes(bool ipv4) {
    if (!same_peer_routes()) {
      const auto wanted = [&](std::vector<RouteMatch> table) {
        std::erase_if(table, [=](const RouteMatch& m) { return m.destination.is_ipv4() != ipv4; });
        return table;
      };
      side_by_side(
          wanted(main_table(before_)), wanted(main_table(after_)),
          [](const RouteMatch& m) { return m.destination; },
          [&](const RouteMatch* a, const RouteMatch* b) { compare(a, b); });
      return;
    }
    for (const IpPrefix& prefix : touched()) {
      if (prefix.is_ipv4() != ipv4) continue;
      const auto a = find_route(before_, prefix);
      const auto b = find_route(after_, prefix);
      compare(a ? &*a : nullptr, b ? &*b : nullptr);
    }
  }

  void compare(const RouteMatch* before, const RouteMatch* after) {
    if (before != nullptr && after != nullptr && before->route == after->route) return;
    lines_.change(line(before), line(after));
  }

  const NodeState& before_;
  const NodeState& after_;
  std::set<IpPrefix> touched_;  ///< Addresses of pods that came or went.
  DiffLines lines_;
};

}  // namespace

void DiffLines::change(const std::vector<std::string>& before,
                       const std::vector<std::string>& after) {
  if (before == after) return;
  auto stay = counts(after);
  for (const std::string& line : before)
    if (stay[line]-- <= 0) change(line, std::nullopt);
  auto stayed = counts(before);
  for (const std::string& line : after)
    if (stayed[line]-- <= 0) change(std::nullopt, line);
}

std::string diff(const FabricState& before, const FabricState& after) {
  return FabricDiff(before, after).run();
}

std::string diff(const NodeState& before, const NodeState& after) {
  return NodeDiff(before, after).run();
}

}  // namespace overlane::node

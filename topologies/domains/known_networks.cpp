#include "topologies/domains/known_networks.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "topologies/provider/profile.h"

namespace overlane::domains {
namespace {

constexpr const char* kReserved = "reserved by the landscape";

void add_new(const DeclaredRange& range, std::vector<DeclaredRange>& ranges) {
  const bool is_known = std::ranges::any_of(ranges, [&](const DeclaredRange& one) {
    return one.cidr == range.cidr && one.purpose == range.purpose;
  });
  if (!is_known) ranges.push_back(range);
}

void add_subnets(const RouteTable& table, std::vector<RouteTable>& tables) {
  const auto known = std::ranges::find(tables, table.name, &RouteTable::name);
  if (known == tables.end()) {
    tables.push_back(table);
    return;
  }
  std::vector<std::string> both;
  std::ranges::set_union(known->subnets, table.subnets, std::back_inserter(both));
  known->subnets = std::move(both);
}

/// An id is unique; a name is unique only within a project.
bool has_unique_id(const NetworkRef& ref) {
  return !ref.shoot.empty() || provider::profile_of(ref.provider).fabric.network_id_is_unique;
}

std::string without_project(NetworkRef ref) {
  ref.project.clear();
  return to_string(ref);
}

std::string project_of(const NetworkRef& ref) {
  return ref.project.empty() ? "no project" : "project " + ref.project;
}

/// Sets the first value; true: a different value was set before.
template <typename T>
bool differs(T& known, SourceLocation& known_at, const T& value, bool is_set,
             const SourceLocation& at) {
  if (!is_set) return false;
  if (known_at != SourceLocation()) return known != value;
  known = value;
  known_at = at;
  return false;
}

}  // namespace

KnownNetworks::Known* KnownNetworks::find(const Network& network, const At& at, bool& refused) {
  const NetworkRef& ref = network.ref;
  const auto [first, last] =
      by_name_.equal_range({ref.shoot, ref.provider, ref.resource_group, ref.network});
  for (auto one = first; one != last; ++one) {
    Known& known = known_[one->second];
    const NetworkRef& other = known.network.ref;
    if (has_unique_id(ref) || other.project == ref.project) return &known;
    if (!other.project.empty() && !ref.project.empty()) continue;
    refused = true;
    diagnostics_->add_contradiction(at, without_project(ref) + " is in", project_of(ref),
                                    project_of(other), known.network.place);
    return nullptr;
  }
  return nullptr;
}

void KnownNetworks::add(const Network& network, const At& at) {
  bool refused = false;
  Known* known = find(network, at, refused);
  if (refused) return;
  if (known == nullptr) {
    const NetworkRef& ref = network.ref;
    by_name_.emplace(Key{ref.shoot, ref.provider, ref.resource_group, ref.network}, known_.size());
    known = &known_.emplace_back();
    known->network.ref = ref;
    known->network.place = network.place;
  }
  join(*known, network, at);
}

void KnownNetworks::join(Known& known, const Network& network, const At& at) {
  Network& one = known.network;
  const std::string name = without_project(one.ref);
  if (differs(one.ref.project, known.project, network.ref.project, !network.ref.project.empty(),
              at.place))
    diagnostics_->add_contradiction(at, name + " is in", project_of(network.ref),
                                    project_of(one.ref), known.project);
  if (differs(one.route_quota, known.route_quota, network.route_quota,
              network.route_quota.has_value(), at.place))
    diagnostics_->add_contradiction(at, name + " has routeQuota",
                                    std::to_string(*network.route_quota),
                                    std::to_string(*one.route_quota), known.route_quota);
  if (differs(one.other_routes, known.other_routes, network.other_routes, network.says_other_routes,
              at.place))
    diagnostics_->add_contradiction(at, name + " has otherRoutes",
                                    std::to_string(network.other_routes),
                                    std::to_string(one.other_routes), known.other_routes);
  one.says_other_routes = one.says_other_routes || network.says_other_routes;
  for (std::size_t i = 0; i < network.ranges.size(); ++i)
    join_range(one, network.ranges[i],
               at.inside(fmt::format(".ranges[{}].cidr", i), network.ranges[i].place));
  for (const DeclaredRange& route : network.foreign_routes)
    add_new(route, one.foreign_routes);
  for (std::size_t i = 0; i < network.route_tables.size(); ++i)
    join_table(known, network.route_tables[i],
               at.inside(fmt::format(".routeTables[{}]", i), network.route_tables[i].place));
}

void KnownNetworks::join_range(Network& known, const DeclaredRange& range, const At& at) {
  const std::string use = "a range of " + to_string(known.ref);
  if (const auto reserved = reserved_at_.find(range.cidr); reserved != reserved_at_.end()) {
    diagnostics_->add_contradiction(at, range.cidr.to_string() + " is", use, kReserved,
                                    reserved->second);
    return;
  }
  used_by_.try_emplace(range.cidr, use, range.place);
  add_new(range, known.ranges);
}

void KnownNetworks::reserve(const DeclaredRange& range, const At& at) {
  if (const auto used = used_by_.find(range.cidr); used != used_by_.end()) {
    diagnostics_->add_contradiction(at, range.cidr.to_string() + " is", kReserved,
                                    used->second.first, used->second.second);
    return;
  }
  reserved_at_.try_emplace(range.cidr, range.place);
  add_new(range, reserved_);
}

void KnownNetworks::join_table(Known& known, const RouteTable& table, const At& at) {
  RouteTable sound = table;
  std::erase_if(sound.subnets, [&](const std::string& subnet) {
    const auto [first, is_new] = known.tables.try_emplace(subnet, table.name, table.place);
    if (is_new || first->second.first == table.name) return false;
    diagnostics_->add_contradiction(
        at, fmt::format("subnet {} of {} is in", subnet, to_string(known.network.ref)),
        "route table " + table.name, "route table " + first->second.first, first->second.second);
    return true;
  });
  add_subnets(sound, known.network.route_tables);
}

std::vector<Network> KnownNetworks::take_networks() {
  std::vector<Network> networks;
  for (Known& known : known_)
    networks.push_back(std::move(known.network));
  return networks;
}

}  // namespace overlane::domains

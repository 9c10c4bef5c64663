#include "topologies/overlap/inventory/routing_scope.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/provider/profile.h"
#include "topologies/ranges/disjoint_sets.h"
#include "topologies/ranges/sorting.h"

namespace overlane::overlap {

namespace {

using domains::NetworkRef;

/// Key of a declared network: equal to NetworkIdentity::key of its shoots. Unique for a shoot
/// without manifest.
std::string key_of(const NetworkRef& ref) {
  if (!ref.shoot.empty()) return "shoot/" + ref.shoot;
  return fmt::format("{}/{}{}", ref.provider,
                     ref.resource_group.empty() ? "" : ref.resource_group + '/', ref.network);
}

/// Whether equal ids mean one network, whatever the credentials.
bool id_is_unique(const NetworkRef& ref) {
  return provider::profile_of(ref.provider).fabric.network_id_is_unique;
}

/// The declared route tables of existing subnets.
class DeclaredTables {
 public:
  DeclaredTables(const std::vector<domains::DeclaredNetwork>& declared,
                 const std::vector<RoutingScope>& routing_scopes) {
    for (std::size_t i = 0; i < declared.size(); ++i)
      for (const domains::DeclaredRouteTable& table : declared[i].route_tables)
        for (const std::string& subnet : table.subnets)
          names_.emplace(key_of(declared[i].ref, routing_scopes[i], subnet), table.name);
  }

  /// Name of the declared table of a subnet; null if none is declared.
  const std::string* of(const RoutingScope& routing_scope, const std::string& subnet) const {
    for (const Key& key :
         {Key(true, routing_scope.domain, subnet), Key(false, routing_scope.network, subnet)})
      if (const auto table = names_.find(key); table != names_.end()) return &table->second;
    return nullptr;
  }

 private:
  /// Whether the declaration applies to all networks of a name; its domain (if so) or its network;
  /// the subnet.
  using Key = std::tuple<bool, std::uint32_t, std::string>;

  static Key key_of(const domains::NetworkRef& ref, const RoutingScope& routing_scope,
                    const std::string& subnet) {
    const bool of_any = ref.shoot.empty() && !routing_scope.project_known;
    return {of_any, of_any ? routing_scope.domain : routing_scope.network, subnet};
  }

  std::map<Key, std::string> names_;
};

class RouteTables {
 public:
  explicit RouteTables(const DeclaredTables& declared) : declared_(declared) {}

  /// Number of the shoot's route table. Later shoots may join it with other tables.
  std::uint32_t table_of(const Shoot& shoot, const RoutingScope& routing_scope) {
    if (shoot.route_table == RouteTableScope::Network)
      return tables_of_networks_[routing_scope.network];
    const std::uint32_t table = tables_.add();
    if (!shoot.network.shared) return table;
    const auto join = [&](std::string_view what, const std::string& name) {
      tables_.join(table, table_names_[fmt::format("{}|{} {}", routing_scope.network, what, name)]);
    };
    for (const std::string& subnet : shoot.subnets) {
      join("subnet", subnet);
      if (const std::string* name = declared_.of(routing_scope, subnet)) join("table", *name);
    }
    return table;
  }

  /// Call once for all shoots. All undeclared tables of a network are possibly one.
  void number(const std::vector<Shoot>& shoots, std::vector<RoutingScope>& routing_scopes) {
    for (std::size_t i = 0; i < shoots.size(); ++i) {
      RoutingScope& routing_scope = routing_scopes[i];
      routing_scope.route_table = tables_.find(routing_scope.route_table);
      routing_scope.possible_table = possible_tables_of_tables_[routing_scope.route_table];
      if (has_unknown_table(shoots[i], routing_scope))
        possible_tables_.join(routing_scope.possible_table,
                              possible_tables_of_networks_[routing_scope.network]);
    }
    for (RoutingScope& routing_scope : routing_scopes)
      routing_scope.possible_table = possible_tables_.find(routing_scope.possible_table);
  }

  void add_separate(RoutingScope& routing_scope) {
    routing_scope.route_table = tables_.add();
    routing_scope.possible_table = possible_tables_.add();
  }

 private:
  /// Whether the shoot has an existing subnet whose route table is not declared.
  bool has_unknown_table(const Shoot& shoot, const RoutingScope& routing_scope) const {
    return shoot.route_table == RouteTableScope::BySubnet &&
           std::ranges::any_of(shoot.subnets, [&](const std::string& subnet) {
             return declared_.of(routing_scope, subnet) == nullptr;
           });
  }

  const DeclaredTables& declared_;
  ranges::DisjointSets tables_;
  ranges::KeyedSets<std::string> table_names_{tables_};
  ranges::KeyedSets<std::uint32_t> tables_of_networks_{tables_};
  ranges::DisjointSets possible_tables_;
  ranges::KeyedSets<std::uint32_t> possible_tables_of_tables_{possible_tables_};
  ranges::KeyedSets<std::uint32_t> possible_tables_of_networks_{possible_tables_};
};

void number_route_tables(const Inventory& inventory, RoutingScopes& routing_scopes) {
  const DeclaredTables tables(inventory.declared.networks, routing_scopes.networks);
  RouteTables route_tables(tables);
  for (std::size_t i = 0; i < inventory.shoots.size(); ++i)
    routing_scopes.shoots[i].route_table =
        route_tables.table_of(inventory.shoots[i], routing_scopes.shoots[i]);
  route_tables.number(inventory.shoots, routing_scopes.shoots);
  for (RoutingScope& network : routing_scopes.networks)
    route_tables.add_separate(network);
}

class Locator {
 public:
  explicit Locator(const Inventory& inventory)
      : inventory_(inventory), projects_(domains::projects_by_credentials(inventory.declared)) {
    if (!inventory.declared.empty())
      for (std::uint32_t i = 0; i < inventory.shoots.size(); ++i)
        by_name_.emplace(inventory.shoots[i].name(), i);
  }

  RoutingScopes locate() {
    for (const Shoot& shoot : inventory_.shoots)
      out_.shoots.push_back(scope_of(shoot));
    for (const domains::DeclaredNetwork& network : inventory_.declared.networks)
      out_.networks.push_back(scope_of(network.ref));
    number_route_tables(inventory_, out_);
    for (std::size_t i = 0; i < out_.networks.size(); ++i)  // Networks that a shoot declares.
      if (const auto shoot = by_name_.find(inventory_.declared.networks[i].ref.shoot);
          shoot != by_name_.end())
        out_.networks[i] = out_.shoots[shoot->second];
    gather_domains();
    for (const domains::Connection& connection : inventory_.declared.connections)
      out_.connections.push_back(gather(connection));
    return std::move(out_);
  }

 private:
  /// Whether the declaration names the project of a network whose id is not unique.
  static bool is_in_project(const NetworkRef& ref) {
    return !ref.project.empty() && !id_is_unique(ref);
  }

  std::uint32_t network_of(const std::string& key, bool is_unique, const std::string& project) {
    return network_names_[is_unique ? key : key + '|' + project];
  }

  RoutingScope scope_of(const Shoot& shoot) {
    const NetworkIdentity& network = shoot.network;
    if (!network.shared)  // No other shoot is in its network.
      return {.domain = domain_numbers_.add(), .network = networks_.add()};
    const auto project = projects_.find(network.credentials);
    const bool in_project = project != projects_.end();
    RoutingScope routing_scope{.domain = domain_names_[network.key],
                               .project_known = network.id_is_unique || in_project};
    if (network.credentials.empty() && !network.id_is_unique)
      routing_scope.network = networks_.add();
    else
      routing_scope.network =
          network_of(network.key, network.id_is_unique,
                     in_project ? "project " + project->second : network.credentials);
    return routing_scope;
  }

  RoutingScope scope_of(const NetworkRef& ref) {
    if (const RoutingScope* shoot = shoot_named(ref)) return *shoot;
    const std::string key = key_of(ref);
    RoutingScope routing_scope{.domain = domain_names_[key],
                               .project_known = id_is_unique(ref) || !ref.project.empty()};
    routing_scope.network = network_of(key, !is_in_project(ref), "project " + ref.project);
    return routing_scope;
  }

  const RoutingScope* shoot_named(const NetworkRef& ref) {
    if (ref.shoot.empty()) return nullptr;
    const auto found = by_name_.find(ref.shoot);
    if (found != by_name_.end()) return &out_.shoots[found->second];
    const auto namesake = std::ranges::find(
        inventory_.shoots, ref.shoot, [](const Shoot& shoot) { return shoot.object.qualified(); });
    out_.findings.push_back(
        {.rule = "declared-shoot-missing",
         .severity = Severity::Warning,
         .message = fmt::format("shoot {} is declared, but not among the manifests", ref.shoot),
         .place = ref.place,
         .hint = namesake == inventory_.shoots.end()
                     ? "add its manifest, or correct the name"
                     : fmt::format("qualify it by its landscape: {}", namesake->name())});
    return nullptr;
  }

  void gather_domains() {
    std::vector<Domain> domains;  // By their numbers before sorting.
    const auto at = [&](std::uint32_t number, const std::string& key) -> Domain& {
      if (domains.size() <= number) domains.resize(number + 1);
      if (domains[number].key.empty()) domains[number].key = key;
      return domains[number];
    };
    domains.reserve(out_.shoots.size() + out_.networks.size());
    for (std::uint32_t i = 0; i < out_.shoots.size(); ++i) {
      Domain& domain = at(out_.shoots[i].domain, inventory_.shoots[i].network.key);
      if (!domain.shoots.empty() &&
          out_.shoots[domain.shoots.front()].network != out_.shoots[i].network)
        domain.is_one = false;
      domain.shoots.push_back(i);
    }
    for (std::uint32_t i = 0; i < out_.networks.size(); ++i)
      at(out_.networks[i].domain, key_of(inventory_.declared.networks[i].ref))
          .declared.push_back(i);
    std::ranges::sort(domains, {}, &Domain::key);
    out_.domains = std::move(domains);
    number_domains();
  }

  void number_domains() {
    for (std::uint32_t number = 0; number < out_.domains.size(); ++number) {
      for (const std::uint32_t i : out_.domains[number].shoots)
        out_.shoots[i].domain = number;
      for (const std::uint32_t i : out_.domains[number].declared)
        out_.networks[i].domain = number;
    }
  }

  bool may_be_several(const Domain& domain) const {
    const auto is_other = [&](std::uint32_t i) {
      return out_.networks[i].network != out_.shoots[domain.shoots.front()].network;
    };
    return !domain.is_one ||
           (!domain.shoots.empty() && std::ranges::any_of(domain.declared, is_other));
  }

  const Domain* domain_named(const std::string& key) const {
    const auto found = std::ranges::lower_bound(out_.domains, key, {}, &Domain::key);
    return found == out_.domains.end() || found->key != key ? nullptr : &*found;
  }

  JoinedNetworks gather(const domains::Connection& connection) {
    JoinedNetworks joined;
    for (const NetworkRef& ref : connection.networks) {
      const RoutingScope* shoot = shoot_named(ref);
      const Domain* domain =
          shoot != nullptr ? &out_.domains[shoot->domain] : domain_named(key_of(ref));
      if (domain == nullptr)
        continue;  // The declaration has no shoot or other declaration in its
                   // domain.
      const auto is_meant = [&](const RoutingScope& routing_scope) {
        if (shoot != nullptr) return routing_scope.network == shoot->network;
        return !is_in_project(ref) ||
               routing_scope.network == network_of(domain->key, false, "project " + ref.project);
      };
      if (shoot == nullptr && !is_in_project(ref) && may_be_several(*domain))
        joined.unclear.push_back(static_cast<std::uint32_t>(domain - out_.domains.data()));
      for (const std::uint32_t i : domain->shoots)
        if (is_meant(out_.shoots[i])) joined.shoots.push_back(i);
      for (const std::uint32_t i : domain->declared)
        if (is_meant(out_.networks[i])) joined.declared.push_back(i);
    }
    ranges::sort_unique(joined.shoots);
    ranges::sort_unique(joined.declared);
    return joined;
  }

  const Inventory& inventory_;
  std::map<std::string, std::string> projects_;  ///< By credentials.
  std::unordered_map<std::string, std::uint32_t> by_name_;
  ranges::DisjointSets domain_numbers_;
  ranges::KeyedSets<std::string> domain_names_{domain_numbers_};
  ranges::DisjointSets networks_;
  ranges::KeyedSets<std::string> network_names_{networks_};
  RoutingScopes out_;
};

using Projects = std::map<std::string, std::string>;  ///< By credentials.

std::string uncertainty_of(const Domain& domain, const Inventory& inventory,
                           const Projects& projects) {
  std::set<std::string_view> unknown;
  std::set<std::string_view> known;
  std::vector<std::string> without;
  for (const std::uint32_t i : domain.shoots) {
    const Shoot& shoot = inventory.shoots[i];
    if (shoot.network.credentials.empty())
      without.push_back(shoot.name());
    else if (const auto project = projects.find(shoot.network.credentials);
             project != projects.end())
      known.insert(project->second);
    else
      unknown.insert(shoot.network.credentials);
  }
  const std::string_view owner = domain.key.starts_with("azure/") ? "subscription" : "project";
  std::string text = fmt::format(
      "networks of this name are one if their {}s are equal, which manifests do not show", owner);
  if (!unknown.empty())
    text +=
        fmt::format(": declare the {} of these credentials in a RoutingDomains file (projects): {}",
                    owner, fmt::join(unknown, ", "));
  if (!unknown.empty() && !known.empty())
    text += fmt::format(" (the others belong to {})", fmt::join(known, ", "));
  if (!without.empty())
    text += fmt::format("; {}{} no credentials", without.front(),
                        without.size() == 1 ? " has" : " and others have");
  return text;
}

}  // namespace

RoutingScopes locate(const Inventory& inventory) {
  return Locator(inventory).locate();
}

std::map<std::string, std::string> uncertainties(const Inventory& inventory,
                                                 const RoutingScopes& routing_scopes) {
  const Projects projects = domains::projects_by_credentials(inventory.declared);
  std::map<std::string, std::string> uncertainties;
  for (const Domain& domain : routing_scopes.domains)
    if (!domain.is_one) uncertainties[domain.key] = uncertainty_of(domain, inventory, projects);
  return uncertainties;
}

}  // namespace overlane::overlap

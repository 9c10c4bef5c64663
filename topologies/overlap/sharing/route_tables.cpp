#include "topologies/overlap/sharing/route_tables.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "topologies/overlap/sharing/disjoint_sets.h"

namespace overlane::overlap {
namespace {

/// The declared route tables of existing subnets.
class DeclaredTables {
 public:
  DeclaredTables(const std::vector<domains::Network>& declared,
                 const std::vector<RoutingScope>& routing_scopes) {
    for (std::size_t i = 0; i < declared.size(); ++i)
      for (const domains::RouteTable& table : declared[i].route_tables)
        for (const std::string& subnet : table.subnets)
          names_.emplace(key_of(declared[i].ref, routing_scopes[i], subnet), table.name);
  }

  /// The table's name; nullptr: not declared.
  const std::string* of(const RoutingScope& routing_scope, const std::string& subnet) const {
    for (const Key& key :
         {Key(true, routing_scope.domain, subnet), Key(false, routing_scope.network, subnet)})
      if (const auto table = names_.find(key); table != names_.end()) return &table->second;
    return nullptr;
  }

 private:
  /// Whether the declaration is for all networks of a name; its domain, else its network; the
  /// subnet.
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

  /// The set of the shoot's route table. Later shoots may join it with others.
  std::uint32_t table_of(const Shoot& shoot, const RoutingScope& routing_scope) {
    if (shoot.route_table == RouteTable::Network) return tables_of_networks_[routing_scope.network];
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

  /// Call once for all shoots. All tables of a network that are not declared are possibly one.
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
  /// Whether the route table of one of its existing subnets is not declared.
  bool has_unknown_table(const Shoot& shoot, const RoutingScope& routing_scope) const {
    return shoot.route_table == RouteTable::BySubnet &&
           std::ranges::any_of(shoot.subnets, [&](const std::string& subnet) {
             return declared_.of(routing_scope, subnet) == nullptr;
           });
  }

  const DeclaredTables& declared_;
  DisjointSets tables_;
  KeyedSets<std::string> table_names_{tables_};
  KeyedSets<std::uint32_t> tables_of_networks_{tables_};
  DisjointSets possible_tables_;
  KeyedSets<std::uint32_t> possible_tables_of_tables_{possible_tables_};
  KeyedSets<std::uint32_t> possible_tables_of_networks_{possible_tables_};
};

}  // namespace

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

}  // namespace overlane::overlap

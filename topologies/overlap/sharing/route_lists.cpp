#include "topologies/overlap/sharing/route_lists.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "topologies/overlap/sharing/disjoint_sets.h"

namespace overlane::overlap {
namespace {

/// The declared tables of existing subnets.
class DeclaredTables {
 public:
  DeclaredTables(const std::vector<domains::Network>& declared,
                 const std::vector<RoutingScope>& routing_scopes) {
    for (std::size_t i = 0; i < declared.size(); ++i)
      for (const domains::RouteTable& table : declared[i].route_tables)
        for (const std::string& subnet : table.subnets)
          names_.emplace(key_of(declared[i].ref, routing_scopes[i], subnet), table.name);
  }

  /// nullptr: no declaration names the subnet.
  const std::string* of(const RoutingScope& routing_scope, const std::string& subnet) const {
    for (const Key& key :
         {Key(true, routing_scope.domain, subnet), Key(false, routing_scope.network, subnet)})
      if (const auto table = names_.find(key); table != names_.end()) return &table->second;
    return nullptr;
  }

 private:
  /// Whether it is of all networks of that name; the number of the domain or network; the subnet.
  using Key = std::tuple<bool, std::uint32_t, std::string>;

  static Key key_of(const domains::NetworkRef& ref, const RoutingScope& routing_scope,
                    const std::string& subnet) {
    const bool of_any = ref.shoot.empty() && !routing_scope.project_known;
    return {of_any, of_any ? routing_scope.domain : routing_scope.network, subnet};
  }

  std::map<Key, std::string> names_;
};

class RouteLists {
 public:
  explicit RouteLists(const DeclaredTables& declared) : declared_(declared) {}

  /// Which list a shoot's routes stand in, as far as those that came before it tell.
  std::uint32_t list_of(const Shoot& shoot, const RoutingScope& routing_scope) {
    if (shoot.route_table == RouteTable::Network) return lists_of_networks_[routing_scope.network];
    const std::uint32_t list = lists_.fresh();
    if (!shoot.network.shared) return list;
    const auto join = [&](std::string_view what, const std::string& name) {
      lists_.join(list, list_names_[fmt::format("{}|{} {}", routing_scope.network, what, name)]);
    };
    for (const std::string& subnet : shoot.subnets) {
      join("subnet", subnet);
      if (const std::string* table = declared_.of(routing_scope, subnet)) join("table", *table);
    }
    return list;
  }

  /// Once all lists are joined: who has one list has one set of tables, and all that are not known
  /// may be one.
  void number(const std::vector<Shoot>& shoots, std::vector<RoutingScope>& routing_scopes) {
    for (std::size_t i = 0; i < shoots.size(); ++i) {
      RoutingScope& routing_scope = routing_scopes[i];
      routing_scope.list = lists_.find(routing_scope.list);
      routing_scope.tables = tables_of_lists_[routing_scope.list];
      if (has_unknown_table(shoots[i], routing_scope))
        tables_.join(routing_scope.tables, tables_of_networks_[routing_scope.network]);
    }
    for (RoutingScope& routing_scope : routing_scopes)
      routing_scope.tables = tables_.find(routing_scope.tables);
  }

  void set_fresh(RoutingScope& routing_scope) {
    routing_scope.list = lists_.fresh();
    routing_scope.tables = tables_.fresh();
  }

 private:
  /// Whether nobody says which tables some of its existing subnets have.
  bool has_unknown_table(const Shoot& shoot, const RoutingScope& routing_scope) const {
    return shoot.route_table == RouteTable::BySubnet &&
           std::ranges::any_of(shoot.subnets, [&](const std::string& subnet) {
             return declared_.of(routing_scope, subnet) == nullptr;
           });
  }

  const DeclaredTables& declared_;
  Numbers lists_;
  Numbered<std::string> list_names_{lists_};
  Numbered<std::uint32_t> lists_of_networks_{lists_};
  Numbers tables_;
  Numbered<std::uint32_t> tables_of_lists_{tables_};
  Numbered<std::uint32_t> tables_of_networks_{tables_};
};

}  // namespace

void number_route_lists(const Inventory& inventory, RoutingScopes& routing_scopes) {
  const DeclaredTables tables(inventory.declared.networks, routing_scopes.networks);
  RouteLists lists(tables);
  for (std::size_t i = 0; i < inventory.shoots.size(); ++i)
    routing_scopes.shoots[i].list = lists.list_of(inventory.shoots[i], routing_scopes.shoots[i]);
  lists.number(inventory.shoots, routing_scopes.shoots);
  for (RoutingScope& network : routing_scopes.networks)
    lists.set_fresh(network);
}

}  // namespace overlane::overlap

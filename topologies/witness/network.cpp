#include "topologies/witness/network.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace overlane::witness {
namespace {

using effective::Provider;
using node::FabricRoute;
using node::FabricRouteOwner;
using node::FabricState;
using node::FabricTarget;
using node::RouteTable;

/// What becomes of one list of routes that two shoots' controllers write.
struct RouteList {
  Provider provider;
  /// A controller takes out what it does not know inside its shoot's pod ranges. Else each leaves
  /// the other's routes alone, and of one destination the last route counts.
  bool deletes_foreign;
  /// A route inside the network's own range is taken only for the very range of a subnet.
  bool keeps_local;
  std::string_view world;  ///< `{}`: the shoot whose route counts.
};

constexpr std::array kRouteLists = {
    // aws-custom-route-controller pkg/updater/routes.go; Amazon VPC, "Route table rules".
    RouteList{Provider::Aws, true, true,
              "the route controller of {} passed last: it takes out the routes inside its own pod "
              "range that it does not know, until the other one passes"},
    // kubernetes/cloud-provider controllers/route, with the table as a whole read and written.
    RouteList{Provider::Azure, true, false,
              "the route controller of {} passed last: it takes out the routes inside its own pod "
              "range that it does not know, until the other one passes"},
    // cloud-provider-openstack pkg/openstack/routes.go: next hops that are none of its nodes.
    RouteList{Provider::OpenStack, true, false,
              "the route controller of {} passed last: it takes the other's routes inside its own "
              "pod range for black holes, until the other one passes"},
    // Routes have names of their own, so both stay, with priority 1000.
    RouteList{Provider::Gcp, false, false,
              "both shoots' routes stand with one priority, and this packet's hash takes that of "
              "{}"},
    RouteList{Provider::AliCloud, false, false,
              "a destination stands once in the table, and the route controller of {} wrote it "
              "last"},
    RouteList{Provider::Other, false, false,
              "both shoots' nodes announce the destination, and the network takes what {} "
              "announces"},
};

const RouteList& route_list(Provider provider) {
  const auto row = std::ranges::find(kRouteLists, provider, &RouteList::provider);
  return row == kRouteLists.end() ? kRouteLists.back() : *row;
}

/// A controller's route, and the table that it is for.
struct Wanted {
  std::uint32_t table = 0;
  IpPrefix destination;
  FabricRoute route;
};

std::vector<Wanted> controller_routes(const FabricState& fabric) {
  std::vector<Wanted> list;
  for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table)
    for (const auto& [destination, route] : fabric.route_tables[table].routes)
      if (route.owner == FabricRouteOwner::RouteController)
        list.push_back({table, destination, route});
  return list;
}

void take_out(const std::vector<Wanted>& routes, FabricState& fabric) {
  for (const Wanted& wanted : routes)
    fabric.route_tables[wanted.table].routes.erase(wanted.destination);
}

class Joins {
 public:
  Joins(Joining near, Joining far, const Case& overlap)
      : near_(std::move(near)),
        far_(std::move(far)),
        overlap_(overlap),
        list_(route_list(near_.shoot->provider)) {}

  Joined run() {
    auto& fabric = joined_.states.fabric;
    joined_.states = std::move(near_.states);
    near_routes_ = controller_routes(fabric);
    near_tables_ = static_cast<std::uint32_t>(fabric.route_tables.size());
    append();
    if (overlap_.meeting == Meeting::Connected) {
      connect();
    } else {
      take_out(near_routes_, fabric);
      take_out(far_routes_, fabric);
      if (overlap_.meeting == Meeting::OneRouteList) merge_tables();
      share_local_routes();
      write_routes();
    }
    if (carries_pods()) write_for_each_other();
    return std::move(joined_);
  }

 private:
  FabricState& fabric() { return joined_.states.fabric; }

  /// Numbers of `far` go behind those of `near`.
  void append() {
    FabricState& to = fabric();
    FabricState& from = far_.states.fabric;
    const auto tables = static_cast<std::uint32_t>(to.route_tables.size());
    const auto subnets = static_cast<std::uint32_t>(to.subnets.size());
    const auto groups = static_cast<std::uint32_t>(to.groups.size());
    const auto instances = static_cast<std::uint32_t>(to.instances.size());
    joined_.far_begins = instances;
    for (node::Instance& instance : from.instances) {
      instance.subnet += subnets;
      for (std::uint32_t& group : instance.groups)
        group += groups;
    }
    for (node::Subnet& subnet : from.subnets)
      subnet.route_table += tables;
    for (RouteTable& table : from.route_tables) {
      RouteTable renumbered = table;
      for (const auto& [destination, route] : table.routes) {
        if (route.target != FabricTarget::Instance) continue;
        FabricRoute moved = route;
        moved.instance += instances;
        renumbered.routes.set(destination, moved);
      }
      table = std::move(renumbered);
    }
    far_routes_ = controller_routes(from);
    for (Wanted& wanted : far_routes_)
      wanted.table += tables;
    const auto move_behind = [](auto& list, auto& behind) {
      std::ranges::move(list, std::back_inserter(behind));
    };
    move_behind(from.route_tables, to.route_tables);
    move_behind(from.subnets, to.subnets);
    move_behind(from.groups, to.groups);
    move_behind(from.instances, to.instances);
    move_behind(far_.states.nodes, joined_.states.nodes);
  }

  void merge_tables() {
    auto& tables = fabric().route_tables;
    RouteTable one{.name = "routes", .routes = {}, .quota = tables.front().quota};
    for (const RouteTable& table : tables)
      for (const auto& [destination, route] : table.routes)
        one.routes.set(destination, route);
    tables = {std::move(one)};
    for (node::Subnet& subnet : fabric().subnets)
      subnet.route_table = 0;
    for (auto* routes : {&near_routes_, &far_routes_})
      for (Wanted& wanted : *routes)
        wanted.table = 0;
    near_tables_ = 1;
  }

  /// Both shoots' subnets are of one network.
  void share_local_routes() {
    RouteTable all;
    for (const RouteTable& table : fabric().route_tables)
      for (const auto& [destination, route] : table.routes)
        if (route.target == FabricTarget::Local) all.routes.set(destination, route);
    for (RouteTable& table : fabric().route_tables)
      for (const auto& [destination, route] : all.routes)
        table.routes.set(destination, route);
  }

  /// The controllers' routes, as what stands in the joined network lets them.
  void write_routes() {
    for (const Wanted& wanted : near_routes_)
      write(wanted);
    if (contend()) joined_.assumptions.push_back(fmt::format(fmt::runtime(list_.world), far_.name));
    if (list_.deletes_foreign && !far_routes_.empty()) take_out_foreign();
    for (const Wanted& wanted : far_routes_)
      write(wanted);
  }

  bool write(const Wanted& wanted) {
    if (list_.keeps_local && hides_local(wanted)) {
      return refused(wanted, "takes a route inside the network's range only for a whole subnet");
    }
    const auto change = node::set_route(fabric(), wanted.table, wanted.destination, wanted.route);
    if (change == node::RouteChange::InsideSubnet)
      return refused(wanted, "refuses a route that hides a subnet");
    return change == node::RouteChange::Set;
  }

  bool refused(const Wanted& wanted, std::string_view why) {
    std::string text =
        fmt::format("{} {}, so none leads to {} of {}", to_string(near_.shoot->provider), why,
                    wanted.destination.to_string(), fabric().instances[wanted.route.instance].name);
    if (std::ranges::find(joined_.assumptions, text) == joined_.assumptions.end())
      joined_.assumptions.push_back(std::move(text));
    return false;
  }

  bool hides_local(const Wanted& wanted) {
    const auto& routes = fabric().route_tables[wanted.table].routes;
    const bool inside = std::ranges::any_of(routes, [&](const auto& entry) {
      return entry.second.target == FabricTarget::Local && entry.first.contains(wanted.destination);
    });
    return inside && std::ranges::none_of(fabric().subnets, [&](const node::Subnet& subnet) {
             return std::ranges::find(subnet.cidrs, wanted.destination) != subnet.cidrs.end();
           });
  }

  /// Whether both write into one table for addresses that meet.
  bool contend() const {
    return std::ranges::any_of(near_routes_, [&](const Wanted& one) {
      return std::ranges::any_of(far_routes_, [&](const Wanted& other) {
        return one.table == other.table && one.destination.overlaps(other.destination);
      });
    });
  }

  void take_out_foreign() {
    for (const Wanted& wanted : near_routes_) {
      const bool inside = std::ranges::any_of(far_.shoot->pods, [&](const IpPrefix& pods) {
        return pods.contains(wanted.destination);
      });
      const bool same_table =
          std::ranges::find(far_routes_, wanted.table, &Wanted::table) != far_routes_.end();
      if (inside && same_table)
        fabric().route_tables[wanted.table].routes.erase(wanted.destination);
    }
  }

  /// A connection leads to the other network's own ranges.
  void connect() {
    const auto locals = [](const RouteTable& table) {
      std::vector<IpPrefix> list;
      for (const auto& [destination, route] : table.routes)
        if (route.target == FabricTarget::Local) list.push_back(destination);
      return list;
    };
    auto& tables = fabric().route_tables;
    const auto of_near = locals(tables.front());
    const auto of_far = locals(tables[near_tables_]);
    for (std::uint32_t i = 0; i < tables.size(); ++i) {
      const auto& own = i < near_tables_ ? of_near : of_far;
      for (const IpPrefix& other : i < near_tables_ ? of_far : of_near)
        if (std::ranges::none_of(own, [&](const IpPrefix& o) { return o.contains(other); }))
          tables[i].routes.set(other,
                               {.target = FabricTarget::Local, .owner = FabricRouteOwner::User});
    }
    joined_.assumptions.push_back(
        fmt::format("the connection leads to nodes' and hosts' ranges{}, and a network's own range "
                    "comes before what a connection announces",
                    overlap_.carries_pod_routes ? " and to pods" : ", not to pods"));
  }

  /// Whether somebody meant pods of both shoots to reach each other.
  bool carries_pods() const {
    if (overlap_.a_side != Target::Pod || overlap_.b_side != Target::Pod) return false;
    if (near_routes_.empty() || far_routes_.empty()) return false;
    return overlap_.meeting == Meeting::Connected ? overlap_.carries_pod_routes
                                                  : overlap_.meeting == Meeting::OneNetwork;
  }

  void write_for_each_other() {
    auto& tables = fabric().route_tables;
    for (std::uint32_t i = 0; i < tables.size(); ++i) {
      for (Wanted wanted : i < near_tables_ ? far_routes_ : near_routes_) {
        if (tables[i].routes.find(wanted.destination) != nullptr) continue;
        wanted.table = i;
        wanted.route.owner = FabricRouteOwner::User;
        if (overlap_.meeting == Meeting::Connected) {
          tables[i].routes.set(wanted.destination, wanted.route);
        } else {
          write(wanted);
        }
      }
    }
    joined_.assumptions.emplace_back(
        "where pods of both shoots are to reach each other, the routes to the other's pods stand "
        "in each table, as far as it has none to the same destination");
  }

  Joining near_;
  Joining far_;
  const Case& overlap_;
  const RouteList& list_;
  Joined joined_;
  std::vector<Wanted> near_routes_;
  std::vector<Wanted> far_routes_;
  std::uint32_t near_tables_ = 0;
};

}  // namespace

Joined join(Joining near, Joining far, const Case& overlap) {
  return Joins(std::move(near), std::move(far), overlap).run();
}

compile::Compiled host(const std::string& name, IpAddress address, const IpPrefix& subnet) {
  compile::Compiled states;
  FabricState& fabric = states.fabric;
  fabric.route_tables.push_back({.name = name + " routes", .routes = {}});
  fabric.route_tables[0].routes.set(subnet, {.target = FabricTarget::Local});
  fabric.subnets.push_back({.name = name + " subnet", .zone = {}, .cidrs = {subnet}});
  fabric.instances.push_back({.name = name, .addresses = {address}, .prefixes = {}});

  auto cluster = std::make_shared<node::ClusterTable>();
  node::Member member{.name = name, .subnet = 0, .ipv4 = {}, .ipv6 = {}};
  (address.is_ipv4() ? member.ipv4 : member.ipv6) =
      node::MemberAddresses{.node = address, .pod_slice = IpPrefix::host(address)};
  node::NodeState state;
  state.self = cluster->add(std::move(member));
  state.cluster = std::move(cluster);
  state.devices.push_back(
      {.name = "eth0", .kind = node::DeviceKind::Uplink, .addresses = {address}});
  state.routes.set(subnet, {.device = "eth0"});
  state.routes.set(IpPrefix::containing(subnet.network(), 0),
                   {.device = "eth0", .via = subnet.network() + 1});
  states.nodes.push_back(std::move(state));
  return states;
}

}  // namespace overlane::witness

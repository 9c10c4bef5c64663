#include "topologies/witness/network.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "dataplane/node/state/world.h"
#include "topologies/cni/extension/profile.h"
#include "topologies/effective/addressing.h"
#include "topologies/graph/topology.h"

namespace overlane::witness {

using effective::Provider;
using node::FabricRouteOwner;
using node::FabricTarget;

namespace {

/// A route of a shoot's route controller, and its table.
struct ControllerRoute {
  std::uint32_t table = 0;
  IpPrefix destination;
  node::FabricRoute route;
};

/// Writes controllers' routes into a network of two shoots as the provider accepts them.
class RouteWriter {
 public:
  RouteWriter(node::FabricState& fabric, effective::Provider provider);

  /// Writes the routes of two shoots, the routes of `first` first. `pods` are pod ranges of the
  /// shoot that writes last, `last_name` is its name. provider::SharedTable decides about
  /// destinations for which both want a route.
  void write(const std::vector<ControllerRoute>& first, const std::vector<ControllerRoute>& last,
             const std::vector<IpPrefix>& pods, const std::string& last_name);
  /// Writes a route, unless the provider refuses it.
  void write(const ControllerRoute& wanted);

  /// Assumptions and refused routes, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool hides_local(const ControllerRoute& wanted) const;
  void refuse(const ControllerRoute& wanted, std::string_view why);

  node::FabricState& fabric_;
  effective::Provider provider_;
  std::vector<std::string> notes_;
};

std::vector<ControllerRoute> controller_routes(const node::FabricState& fabric) {
  std::vector<ControllerRoute> list;
  for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table) {
    for (const auto& [destination, route] : fabric.route_tables[table].routes)
      if (route.owner == FabricRouteOwner::RouteController || route.owner == FabricRouteOwner::Bgp)
        list.push_back({table, destination, route});
  }
  return list;
}

RouteWriter::RouteWriter(node::FabricState& fabric, Provider provider)
    : fabric_(fabric), provider_(provider) {}

void RouteWriter::write(const std::vector<ControllerRoute>& first,
                        const std::vector<ControllerRoute>& last, const std::vector<IpPrefix>& pods,
                        const std::string& last_name) {
  const provider::SharedTable& shared_table = provider::profile_of(provider_).routes.shared;
  bool contend = false;
  for (const ControllerRoute& wanted : first) {
    const bool shared =
        std::ranges::find(last, wanted.table, &ControllerRoute::table) != last.end();
    const bool inside = std::ranges::any_of(
        pods, [&](const IpPrefix& range) { return range.contains(wanted.destination); });
    const bool is_deleted = shared && inside && shared_table.deletes_foreign;
    if (!is_deleted) write(wanted);
    contend |=
        is_deleted || std::ranges::any_of(last, [&](const ControllerRoute& other) {
          return other.table == wanted.table && other.destination.overlaps(wanted.destination);
        });
  }
  if (contend) notes_.push_back(fmt::format(fmt::runtime(shared_table.outcome), last_name));
  for (const ControllerRoute& wanted : last)
    write(wanted);
}

void RouteWriter::write(const ControllerRoute& wanted) {
  if (provider::profile_of(provider_).fabric.keeps_local_routes && hides_local(wanted))
    return refuse(wanted, "takes a route inside the network's range only for a whole subnet");
  const auto change =
      node::FabricEditor(fabric_).set_route(wanted.table, wanted.destination, wanted.route);
  if (change == node::RouteChange::InsideSubnet)
    refuse(wanted, "refuses a route that hides a subnet");
}

bool RouteWriter::hides_local(const ControllerRoute& wanted) const {
  const auto& routes = fabric_.route_tables[wanted.table].routes;
  const bool inside = std::ranges::any_of(routes, [&](const auto& entry) {
    return entry.second.target == FabricTarget::Local && entry.first.contains(wanted.destination);
  });
  return inside && std::ranges::none_of(fabric_.subnets, [&](const node::Subnet& subnet) {
           return std::ranges::find(subnet.cidrs, wanted.destination) != subnet.cidrs.end();
         });
}

void RouteWriter::refuse(const ControllerRoute& wanted, std::string_view why) {
  const std::string begin = fmt::format("{} {}, so none leads to ", to_string(provider_), why);
  const std::string pod_cidr = fmt::format("{} of {}", wanted.destination.to_string(),
                                           fabric_.instances[wanted.route.instance].name);
  const auto known = std::ranges::find_if(
      notes_, [&](const std::string& text) { return text.starts_with(begin); });
  if (known == notes_.end())
    notes_.push_back(begin + pod_cidr);
  else if (known->find(pod_cidr) == known->npos)
    *known += " and " + pod_cidr;
}

using node::FabricRoute;
using node::FabricState;
using node::RouteTable;

void take_out(const std::vector<ControllerRoute>& routes, FabricState& fabric) {
  for (const ControllerRoute& wanted : routes)
    fabric.route_tables[wanted.table].routes.erase(wanted.destination);
}

std::vector<IpPrefix> local_ranges(const RouteTable& table) {
  std::vector<IpPrefix> list;
  for (const auto& [destination, route] : table.routes)
    if (route.target == FabricTarget::Local) list.push_back(destination);
  return list;
}

/// Shifts all indices in `fabric` by the sizes of `before`, to which it is then appended.
void renumber(const FabricState& before, FabricState& fabric) {
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  for (node::Instance& instance : fabric.instances) {
    instance.subnet += count(before.subnets);
    for (std::uint32_t& group : instance.groups)
      group += count(before.groups);
  }
  for (node::Subnet& subnet : fabric.subnets)
    subnet.route_table += count(before.route_tables);
  for (RouteTable& table : fabric.route_tables) {
    const RouteTable old = table;
    for (auto [destination, route] : old.routes) {
      if (route.target != FabricTarget::Instance) continue;
      route.instance += count(before.instances);
      table.routes.set(destination, route);
    }
  }
}

/// Limits firewalls of a whole network to its own instances, and makes them accept packets from the
/// other network. Returns true if there is such a firewall.
bool open_firewall(FabricState& fabric, const NetworkMember& other) {
  bool opened = false;
  std::vector<IpPrefix> ranges = local_ranges(other.states.fabric.route_tables.front());
  if (other.shoot != nullptr) std::ranges::copy(other.shoot->pods, std::back_inserter(ranges));
  for (std::uint32_t i = 0; i < fabric.groups.size(); ++i) {
    if (!std::exchange(fabric.groups[i].every_instance, false)) continue;
    fabric.groups[i].rules.push_back({.networks = ranges});
    for (node::Instance& instance : fabric.instances)
      instance.groups.push_back(i);
    opened = true;
  }
  return opened;
}

template <typename List>
void move_behind(List& list, List& behind) {
  std::ranges::move(list, std::back_inserter(behind));
}

class Joiner {
 public:
  Joiner(NetworkMember near, NetworkMember far, std::optional<NetworkMember> bystander,
         const OverlapCase& overlap)
      : near_(std::move(near)),
        far_(std::move(far)),
        bystander_(std::move(bystander)),
        overlap_(overlap) {}

  JoinedStates run() {
    if (overlap_.network_relation == NetworkJoin::Connected) open_firewalls();
    append();
    RouteWriter writer(fabric(), near_.shoot->provider);
    if (overlap_.network_relation == NetworkJoin::Connected) {
      connect();
    } else {
      take_out(near_routes_, fabric());
      take_out(far_routes_, fabric());
      if (overlap_.network_relation == NetworkJoin::OneRouteTable) merge_tables();
      share_local_routes();
      const std::vector<IpPrefix> none;
      writer.write(near_routes_, far_routes_, both_are_pods() ? far_.shoot->pods : none, far_.name);
    }
    joined_.pods_reach_others = carries_pods();
    if (joined_.pods_reach_others) write_for_each_other(writer);
    for (const std::string& text : writer.notes())
      joined_.assumptions.push_back(text);
    return std::move(joined_);
  }

 private:
  FabricState& fabric() { return joined_.states.fabric; }

  void open_firewalls() {
    const bool near = open_firewall(near_.states.fabric, far_);
    const bool far = open_firewall(far_.states.fabric, near_);
    if (near || far)
      joined_.assumptions.emplace_back("firewalls accept packets from the connection");
  }

  /// Appends the states in the order `near`, `far`, bystander.
  void append() {
    near_routes_ = controller_routes(near_.states.fabric);
    far_routes_ = controller_routes(far_.states.fabric);
    joined_.states = std::move(near_.states);
    near_tables_ = static_cast<std::uint32_t>(fabric().route_tables.size());
    joined_.far_begins = static_cast<std::uint32_t>(fabric().instances.size());
    for (ControllerRoute& wanted : far_routes_) {
      wanted.table += near_tables_;
      wanted.route.instance += joined_.far_begins;
    }
    append(far_.states);
    joined_.far_ends = static_cast<std::uint32_t>(fabric().instances.size());
    if (bystander_) append_bystander();
  }

  /// Appends the third host. A firewall of a whole network accepts only packets of its shoots, so
  /// it gets a rule for the host.
  void append_bystander() {
    const std::vector<IpPrefix> ranges = local_ranges(bystander_->states.fabric.route_tables[0]);
    joined_.bystander = {.node = joined_.far_ends, .assumption = {}};
    append(bystander_->states);
    for (node::SecurityGroup& group : fabric().groups) {
      if (!group.every_instance) continue;
      group.rules.push_back({.networks = ranges});
      joined_.bystander->assumption = "a firewall rule of the network accepts the host";
    }
  }

  void append(compile::Compiled& states) {
    FabricState& to = fabric();
    FabricState& from = states.fabric;
    renumber(to, from);
    move_behind(from.route_tables, to.route_tables);
    move_behind(from.subnets, to.subnets);
    move_behind(from.groups, to.groups);
    move_behind(from.instances, to.instances);
    move_behind(states.nodes, joined_.states.nodes);
  }

  void merge_tables() {
    auto& tables = fabric().route_tables;
    RouteTable one = tables.front();
    one.name = "routes";
    one.routes = {};
    for (const RouteTable& table : tables)
      for (const auto& [destination, route] : table.routes)
        one.routes.set(destination, route);
    tables = {std::move(one)};
    for (node::Subnet& subnet : fabric().subnets)
      subnet.route_table = 0;
    for (auto* routes : {&near_routes_, &far_routes_})
      for (ControllerRoute& wanted : *routes)
        wanted.table = 0;
  }

  /// Adds all local routes to each table, because the subnets of both shoots are in one network.
  void share_local_routes() {
    auto& tables = fabric().route_tables;
    std::vector<IpPrefix> all;
    for (const RouteTable& table : tables)
      std::ranges::copy(local_ranges(table), std::back_inserter(all));
    for (RouteTable& table : tables)
      for (const IpPrefix& range : all)
        table.routes.set(range, {.target = FabricTarget::Local});
  }

  /// Adds routes to the ranges of the other network.
  void connect() {
    auto& tables = fabric().route_tables;
    const auto of_near = local_ranges(tables.front());
    const auto of_far = local_ranges(tables[near_tables_]);
    for (std::uint32_t i = 0; i < tables.size(); ++i) {
      const auto& own = i < near_tables_ ? of_near : of_far;
      for (const IpPrefix& other : i < near_tables_ ? of_far : of_near) {
        const auto holds = [&](const IpPrefix& range) { return range.contains(other); };
        if (std::ranges::any_of(own, holds)) continue;
        tables[i].routes.set(other,
                             {.target = FabricTarget::Local, .owner = FabricRouteOwner::User});
      }
    }
    joined_.assumptions.push_back(fmt::format(
        "the connection has routes to {}, and a network's own range "
        "takes precedence over them",
        overlap_.carries_pod_routes ? "nodes, hosts and pods" : "nodes and hosts, not to pods"));
  }

  bool both_are_pods() const {
    return overlap_.a_side == Target::Pod && overlap_.b_side == Target::Pod;
  }

  bool carries_pods() const {
    if (!both_are_pods()) return false;
    if (overlap_.network_relation == NetworkJoin::Connected)
      return overlap_.carries_pod_routes && !(near_routes_.empty() && far_routes_.empty());
    return overlap_.network_relation == NetworkJoin::OneNetwork && !near_routes_.empty() &&
           !far_routes_.empty();
  }

  void write_for_each_other(RouteWriter& writer) {
    auto& tables = fabric().route_tables;
    for (std::uint32_t i = 0; i < tables.size(); ++i) {
      const bool of_near = i < near_tables_;
      for (ControllerRoute wanted : of_near ? far_routes_ : near_routes_) {
        const auto meets = [&](const ControllerRoute& own) {
          return own.destination.overlaps(wanted.destination);
        };
        if (std::ranges::any_of(of_near ? near_routes_ : far_routes_, meets)) continue;
        wanted.table = i;
        wanted.route.owner = FabricRouteOwner::User;
        writer.write(wanted);
      }
    }
    joined_.assumptions.emplace_back(
        "pods of both shoots are meant to reach each other: each table has routes to the other's "
        "pods, except to addresses of the shoot's own pods");
  }

  NetworkMember near_;
  NetworkMember far_;
  std::optional<NetworkMember> bystander_;
  const OverlapCase& overlap_;
  JoinedStates joined_;
  std::vector<ControllerRoute> near_routes_;
  std::vector<ControllerRoute> far_routes_;
  std::uint32_t near_tables_ = 0;
};

}  // namespace

compile::Compiled host(const std::string& name, IpAddress address, const IpPrefix& subnet) {
  compile::Compiled states;
  node::FabricState& fabric = states.fabric;
  fabric.route_tables.push_back({.name = name + " routes", .routes = {}});
  fabric.route_tables[0].routes.set(subnet, {.target = node::FabricTarget::Local});
  fabric.subnets.push_back({.name = name + " subnet", .zone = {}, .cidrs = {subnet}});
  fabric.instances.push_back({.name = name, .addresses = {address}, .prefixes = {}});

  auto cluster = std::make_shared<node::ClusterTable>();
  node::Member member{.name = name, .subnet = 0, .ipv4 = {}, .ipv6 = {}};
  (address.is_ipv4() ? member.ipv4 : member.ipv6) =
      node::MemberAddresses{.node = address, .pod_cidr = IpPrefix::host(address)};
  node::NodeState state;
  state.self = cluster->add(std::move(member));
  state.cluster = std::move(cluster);
  state.devices.push_back(
      {.name = cni::kUplink, .kind = node::DeviceKind::Uplink, .addresses = {address}});
  state.routes.set(subnet, {.device = cni::kUplink});
  state.routes.set(IpPrefix::containing(subnet.network(), 0),
                   {.device = cni::kUplink, .via = subnet.network() + 1});
  states.nodes.push_back(std::move(state));
  return states;
}

std::optional<NetworkMember> bystander(const OverlapCase& overlap) {
  if (overlap.network_relation != NetworkJoin::OneRouteTable || overlap.b == nullptr ||
      overlap.a_side != Target::Pod || overlap.b_side != Target::Pod)
    return std::nullopt;
  for (const char* text :
       {"192.168.255.0/28", "172.31.255.0/28", "10.255.255.0/28", "fd00:ffff:ffff:ffff::/64"}) {
    const IpPrefix subnet = IpPrefix::parse(text).value();
    const auto holds = [&](const std::vector<IpPrefix>& ranges) {
      return std::ranges::any_of(ranges, [&](const IpPrefix& one) { return one.overlaps(subnet); });
    };
    const auto has = [&](const effective::EffectiveDataplane& shoot) {
      return holds(shoot.pods) || holds(shoot.nodes) || holds(shoot.services);
    };
    if (subnet.network().family() != overlap.intersection.network().family() || has(*overlap.a) ||
        has(*overlap.b))
      continue;
    const IpAddress address = subnet.network() + effective::kFirstMachineOffset;
    const std::string name = "a host of the network";
    return NetworkMember{name, nullptr, host(name, address, subnet)};
  }
  return std::nullopt;
}

JoinedStates join(NetworkMember near, NetworkMember far, std::optional<NetworkMember> bystander,
                  const OverlapCase& overlap) {
  return Joiner(std::move(near), std::move(far), std::move(bystander), overlap).run();
}

}  // namespace overlane::witness

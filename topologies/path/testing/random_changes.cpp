#include "topologies/path/testing/random_changes.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace overlane::path::testing {

using node::FabricTarget;
using node::NodeState;
using node::RouteKind;

RandomChanges::RandomChanges(node::World& world, std::uint64_t seed)
    : world_(world), original_(world), random_(seed, StreamUse::Pattern, 0) {
  for (const auto& table : original_.fabric.route_tables)
    for (const auto& [prefix, route] : table.routes)
      prefixes_.push_back(prefix);
  for (const NodeState& state : original_.nodes) {
    for (const auto& [prefix, route] : state.routes)
      if (one_in(4)) prefixes_.push_back(prefix);
    for (const Family family : {Family::Ipv4, Family::Ipv6})
      if (const auto* own = state.member().in(family)) prefixes_.push_back(own->pod_cidr);
  }
}

node::WorldChange RandomChanges::next() {
  node::WorldEditor editor(world_);
  if (one_in(8)) {
    const std::uint64_t kind = below(16);
    const RandomStream before = random_;
    for (std::uint32_t n = 0; n < world_.nodes.size(); ++n) {
      random_ = before;
      if (!one_in(8)) change_node(editor, n, kind);
    }
  } else {
    change_any(editor);
    while (one_in(3))
      change_any(editor);
  }
  return editor.take();
}

void RandomChanges::change_any(node::WorldEditor& editor) {
  const std::uint32_t number = any_node();
  switch (below(12)) {
    case 0:
      if (one_in(2)) editor.stop_node(number);
      for (std::uint32_t n = 0; n < world_.nodes.size(); ++n)
        if (one_in(2)) editor.start_node(n);
      return;
    case 1:
      return change_pods(editor, number);
    case 2:
    case 3:
    case 4:
      return change_fabric(editor.fabric());
    case 5:
      return change_instance(editor.fabric());
    case 6:
      return change_for_all(editor.fabric());
    default:
      return change_node(editor, number, below(16));
  }
}

void RandomChanges::change_node(node::WorldEditor& editor, std::uint32_t number,
                                std::uint64_t kind) {
  node::NodeEditor& node = editor.node(number);
  const NodeState& state = node.state();
  const NodeState& original = original_.nodes[number];
  if (kind == 7) {
    change_peers(node, original);
  } else if (kind < 2) {
    node.set_route(any_prefix(), any_route(state));
  } else if (kind < 4) {
    const auto table = main_table(state);
    if (!table.empty()) node.remove_route(pick_of(table).destination);
  } else if (kind < 7) {
    // Restores the original routes.
    for (const auto& [prefix, route] : original.routes)
      node.set_route(prefix, route);
    const auto routes = state.routes;
    for (const auto& [prefix, route] : routes)
      if (original.routes.find(prefix) == nullptr) node.remove_route(prefix);
    const auto removed = state.removed;
    const bool by_name = one_in(2);
    for (const IpPrefix& prefix : removed) {
      if (by_name) {
        node.restore_route(prefix);
      } else if (const auto derived = derived_route(state, prefix)) {
        node.set_route(prefix, derived->route);
      }
    }
  } else if (kind < 11) {
    change_device(node, original);
  } else {
    change_shared(node, original, kind);
  }
}

/// Makes the same change for all peers, or nearly all.
void RandomChanges::change_peers(node::NodeEditor& editor, const NodeState& original) {
  const Family family = one_in(4) ? Family::Ipv6 : Family::Ipv4;
  const std::uint64_t kind = below(4);
  const std::uint64_t except = one_in(2) ? below(world_.nodes.size()) : ~0ull;
  const node::DeviceName device = pick_of(original.devices).name;
  for (std::uint32_t i = 0; i < original.cluster->members().size(); ++i) {
    const auto* peer = original.cluster->members()[i].in(family);
    if (peer == nullptr || i == except || i == original.self.value) continue;
    node::Route route{.device = device, .protocol = node::RouteProtocol::Bird};
    if (kind == 0) route.via = peer->node;
    if (kind == 1) route.via = peer->tunnel;
    if (kind == 2) route.tunnel_destination = peer->node;
    if (kind == 3) {
      editor.remove_route(peer->pod_cidr);
    } else {
      editor.set_route(peer->pod_cidr, route);
    }
  }
}

void RandomChanges::change_device(node::NodeEditor& editor, const NodeState& original) {
  if (one_in(2)) {
    for (const node::Device& device : original.devices)
      editor.set_device(device);
    return;
  }
  const std::vector<node::Device>& devices = editor.state().devices;
  if (devices.empty()) return;
  node::Device device = pick_of(devices);
  switch (below(8)) {
    case 0:
      editor.remove_device(device.name);
      return;
    case 1:
      device.up = !device.up;
      break;
    case 2:
      device.mtu = pick<std::uint32_t>({100, 576, 1280, 1400, 1500, 9000});
      break;
    case 3:
      device.rp_filter = static_cast<std::uint8_t>(below(3));
      break;
    case 4:
      if (one_in(2)) device.addresses.clear();
      if (one_in(2)) device.addresses.push_back(any_address());
      break;
    case 5:
      if (device.encapsulation() != Encapsulation::None) device.remote = any_address();
      break;
    case 6:
      device.vni = pick<std::uint32_t>({256, 4096, 5});
      break;
    default:
      device.allows_nodes = !device.allows_nodes;
  }
  editor.set_device(device);
}

void RandomChanges::change_shared(node::NodeEditor& editor, const NodeState& original,
                                  std::uint64_t kind) {
  if (one_in(2)) {
    if (one_in(4)) {
      std::vector<IpPrefix> removed;
      for (const auto& [pod_cidr, ignored] : original.cluster->pod_cidrs())
        if (!one_in(4)) removed.push_back(pod_cidr);
      editor.set_cluster(original.cluster, std::move(removed));
    } else {
      editor.set_cluster(original.cluster);
    }
    editor.set_filter(original.filter);
    editor.set_services(original.services);
    editor.set_sysctls(original.sysctls);
    return;
  }
  node::Sysctls sysctls = editor.state().sysctls;
  if (kind < 13) {
    // Changes a member's addresses, or the routes to peers.
    auto table = std::make_shared<node::ClusterTable>();
    table->ipv4 = original.cluster->ipv4;
    table->ipv6 = original.cluster->ipv6;
    const std::uint32_t victim = one_in(2) ? any_node() : ~0u;
    for (std::uint32_t i = 0; i < original.cluster->members().size(); ++i) {
      node::Member member = original.cluster->members()[i];
      if (i == victim && member.ipv4) member.ipv4->node = any_address();
      if (i == victim && member.ipv4 && !member.ipv4->node.is_ipv4())
        member.ipv4->node = IpAddress();
      if (i == victim && one_in(2)) member.subnet = 1 - std::min(member.subnet, 1u);
      table->add(std::move(member));
    }
    if (victim == ~0u) {
      std::swap(table->ipv4.same_subnet, table->ipv4.other_subnet);
      std::swap(table->ipv6.same_subnet, table->ipv6.other_subnet);
      if (one_in(2)) table->ipv4.same_subnet = table->ipv6.other_subnet = {};
    }
    editor.set_cluster(table);
  } else if (kind < 14) {
    auto filter = std::make_shared<node::PacketFilter>();
    if (original.filter != nullptr && !one_in(4)) *filter = *original.filter;
    filter->tracking = pick({node::Tracking::Off, node::Tracking::Translated, node::Tracking::All});
    if (one_in(2)) filter->masqueraded_sources = {any_prefix()};
    if (one_in(2)) filter->unmasqueraded_destinations = {any_prefix()};
    if (one_in(4)) filter->tunnel_guards = {{.protocol = 4, .members = false}};
    for (node::TunnelGuard& guard : filter->tunnel_guards)
      if (one_in(2)) guard = {guard.protocol, guard.udp_port, one_in(2), {any_prefix()}};
    editor.set_filter(filter);
  } else if (kind < 15) {
    sysctls.rp_filter_all = static_cast<std::uint8_t>(below(3));
    sysctls.ip_forward = !one_in(4);
    sysctls.ipv6_forwarding = !one_in(4);
    editor.set_sysctls(sysctls);
  } else {
    const IpAddress front = one_in(3) ? any_address() : IpAddress(Ipv4Address{0x64400014});
    node::Service service{{front, 8080, 17}, {}};
    while (one_in(2)) {
      const IpAddress endpoint = any_address();
      if (endpoint.family() == front.family()) service.endpoints.push_back({endpoint, 8080});
    }
    using enum node::ServiceProxy;
    auto table = node::ServiceTable::make(pick({Iptables, Ipvs, Nftables, CalicoEbpf, Cilium}),
                                          {service}, {any_prefix()});
    if (table) editor.set_services(std::make_shared<const node::ServiceTable>(*std::move(table)));
  }
}

void RandomChanges::change_pods(node::WorldEditor& editor, std::uint32_t number) {
  const std::vector<node::LocalPod>& pods = world_.nodes[number].pods;
  if (pods.empty() || one_in(2)) {
    for (const node::LocalPod& pod : original_.nodes[number].pods)
      editor.node(number).set_pod(pod);
    return;
  }
  node::LocalPod pod = one_in(2) ? pods.front() : pick_of(pods);
  const node::PodPlace place{number, pod.address};
  switch (below(4)) {
    case 0:
      editor.end_pod(place);
      return;
    case 1:
      pod.mtu = pick<std::uint32_t>({100, 576, 1280, 1500});
      pod.route_mtu = pick<std::uint32_t>({0, 1400});
      editor.node(number).set_pod(pod);
      return;
    case 2:
      editor.node(number).remove_pod(pod.address);
      return;
    default:
      if (one_in(2)) pod.address = pod.address + 100;
      editor.restart_pod(place, any_node(), pod);
  }
}

void RandomChanges::change_fabric(node::FabricEditor& editor) {
  const auto table = static_cast<std::uint32_t>(below(world_.fabric.route_tables.size()));
  const auto& routes = world_.fabric.route_tables[table].routes;
  switch (below(8)) {
    case 0:
    case 1:
      if (!routes.empty()) {
        const auto at = routes.begin() + static_cast<std::ptrdiff_t>(below(routes.size()));
        editor.remove_route(table, IpPrefix(at->first));
      }
      return;
    case 2:
    case 3:
    case 4:
      editor.set_route(
          table, any_prefix(),
          {pick({FabricTarget::Local, FabricTarget::Instance, FabricTarget::Instance,
                 FabricTarget::Blackhole, FabricTarget::Internet, FabricTarget::Foreign}),
           any_node()});
      return;
    default: {
      const auto now = routes;
      for (const auto& [prefix, route] : now)
        if (original_.fabric.route_tables[table].routes.find(prefix) == nullptr)
          editor.remove_route(table, prefix);
      for (const auto& [prefix, route] : original_.fabric.route_tables[table].routes)
        editor.set_route(table, prefix, route);
    }
  }
}

void RandomChanges::change_instance(node::FabricEditor& editor) {
  const std::uint32_t number = any_node();
  node::Instance instance = world_.fabric.instances[number];
  switch (below(12)) {
    case 0:
      instance.source_destination_check = !instance.source_destination_check;
      break;
    case 1:
      instance.allowed.push_back(any_prefix());
      break;
    case 2:
      instance.prefixes.push_back(any_prefix());
      break;
    case 3:
      if (!instance.prefixes.empty()) editor.remove_prefix(number, instance.prefixes.front());
      return;
    case 4:
      if (one_in(2)) instance.addresses.clear();
      instance.addresses.push_back(any_address());
      break;
    case 5:
      instance.subnet = static_cast<std::uint32_t>(below(world_.fabric.subnets.size()));
      break;
    case 6:
      if (!world_.fabric.groups.empty())
        instance.groups = {static_cast<std::uint32_t>(below(world_.fabric.groups.size()))};
      break;
    case 7:
      instance.groups.clear();
      break;
    case 8:
    case 9:
    case 10:
      instance = original_.fabric.instances[number];
      break;
    default:
      for (std::uint32_t n = 0; n < world_.nodes.size(); ++n)
        editor.set_instance(n, original_.fabric.instances[n]);
      return;
  }
  editor.set_instance(number, instance);
}

void RandomChanges::change_for_all(node::FabricEditor& editor) {
  const node::FabricState& fabric = world_.fabric;
  switch (below(10)) {
    case 0:
      editor.set_mtu(pick<std::uint32_t>({90, 1280, 1400, 9001}));
      return;
    case 1:
      editor.set_path_mtu({.within_zone = pick<std::uint32_t>({0, 120, 1400}),
                           .across_zones = pick<std::uint32_t>({0, 90, 1400}),
                           .silent = one_in(2)});
      return;
    case 2:
      editor.set_denied({{.protocol = pick<std::uint8_t>({4, 17, 41}),
                          .port = one_in(2) ? std::optional<std::uint16_t>(4789) : std::nullopt}});
      return;
    case 3:
      editor.set_dropped_protocols({pick<std::uint8_t>({4, 17})});
      return;
    case 4:
      editor.set_drops_disordered_fragments(one_in(2));
      return;
    case 5:
    case 6:
      if (fabric.groups.empty()) return;
      {
        const auto group = static_cast<std::uint32_t>(below(fabric.groups.size()));
        const auto rules = fabric.groups[group].rules;
        if (!rules.empty() && one_in(2)) {
          editor.remove_rule(group, pick_of(rules));
        } else {
          using enum node::RuleSource;
          editor.add_rule(group,
                          {pick({Networks, GroupInterfaces, GroupAddresses, GroupFixedAddresses}),
                           {any_prefix()},
                           {},
                           {}});
        }
        return;
      }
    default:
      editor.set_mtu(original_.fabric.mtu);
      editor.set_path_mtu(original_.fabric.path_mtu);
      editor.set_denied(original_.fabric.denied);
      editor.set_dropped_protocols(original_.fabric.dropped_protocols);
      for (std::uint32_t group = 0; group < fabric.groups.size(); ++group)
        for (const node::FabricRule& rule : original_.fabric.groups[group].rules)
          editor.add_rule(group, rule);
  }
}

IpAddress RandomChanges::any_address() {
  const NodeState& state = original_.nodes[any_node()];
  const Family family = one_in(3) ? Family::Ipv6 : Family::Ipv4;
  const auto* own = state.member().in(family);
  switch (below(4)) {
    case 0:
      return own == nullptr ? state.pods.front().address : own->node;
    case 1:
      return own == nullptr ? state.pods.front().address : own->tunnel;
    case 2:
      return state.pods.front().address;
    default:
      return pick_of(state.pods).address;
  }
}

IpPrefix RandomChanges::any_prefix() {
  switch (below(4)) {
    case 0:
      return IpPrefix::host(any_address());
    case 1: {
      const IpAddress address = any_address();
      const auto length = address.is_ipv4() ? pick<std::uint8_t>({0, 8, 16, 23, 25, 28})
                                            : pick<std::uint8_t>({0, 32, 48, 63, 65, 96});
      return IpPrefix::containing(address, length);
    }
    default:
      return pick_of(prefixes_);
  }
}

node::Route RandomChanges::any_route(const NodeState& state) {
  const NodeState& other = original_.nodes[any_node()];
  const Family family = one_in(3) ? Family::Ipv6 : Family::Ipv4;
  const auto* peer = other.member().in(family);
  node::Route route{.protocol = pick({node::RouteProtocol::Static, node::RouteProtocol::Bird,
                                      node::RouteProtocol::Kernel})};
  if (one_in(4)) {
    route.kind = pick({RouteKind::Blackhole, RouteKind::Unreachable, RouteKind::Prohibit});
    return route;
  }
  route.device = state.devices.empty() ? node::DeviceName("eth0") : pick_of(state.devices).name;
  if (one_in(2)) route.device = "eth0";
  if (peer != nullptr && !one_in(4)) route.via = one_in(4) ? peer->tunnel : peer->node;
  if (peer != nullptr && one_in(6)) route.tunnel_destination = peer->node;
  route.onlink = one_in(2);
  if (one_in(6)) route.mtu = pick<std::uint32_t>({90, 576, 1400});
  return route;
}

}  // namespace overlane::path::testing

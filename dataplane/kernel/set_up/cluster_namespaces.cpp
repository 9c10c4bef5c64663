#include "dataplane/kernel/set_up/cluster_namespaces.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::kernel {

namespace {

using node::FabricState;
using node::FabricTarget;
using node::Instance;

constexpr std::uint8_t kUplinkRole = 3;
constexpr std::uint8_t kRouterRole = 4;
/// Numbers of additional routing tables, above those with names (iproute2, etc/iproute2/rt_tables).
constexpr std::uint32_t kFirstTable = 1000;

class FabricCommands {
 public:
  FabricCommands(const FabricState& fabric, std::span<const SetUp> nodes)
      : fabric_(fabric), nodes_(nodes) {}

  FabricSetUp run() {
    add_sysctls();
    for (std::size_t subnet = 0; subnet < fabric_.subnets.size(); ++subnet)
      add_subnet(subnet);
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      add_port(i);
    for (std::uint32_t table = 0; table < fabric_.route_tables.size(); ++table)
      add_routes(table);
    if (has_tables()) add_rules();
    if (is_bridged()) return std::move(made_);
    for (const std::uint8_t protocol : fabric_.dropped_protocols) {
      made_.commands.push_back(
          {Program::Iptables, fmt::format("-A FORWARD -p {} -j DROP", protocol), "filter"});
    }
    return std::move(made_);
  }

 private:
  bool is_bridged() const { return fabric_.honours_next_hop; }
  /// False if there is one route table, which is the main table.
  bool has_tables() const { return fabric_.route_tables.size() > 1; }
  void ip(std::string arguments) { made_.commands.push_back({Program::Ip, std::move(arguments)}); }

  const Instance& instance(std::size_t i) const { return fabric_.instances[i]; }
  /// Kernels have permanent neighbour entries. They need ARP only if a next hop may not exist.
  const char* arp() const {
    return fabric_.link_layer_answers == node::LinkLayerAnswers::WithinSubnet ? "on" : "off";
  }
  /// The router's device towards the instance.
  std::string device_of(std::size_t i) const {
    return is_bridged() ? subnet_device(instance(i).subnet) : port_device(i);
  }
  static std::string subnet_device(std::size_t subnet) { return fmt::format("subnet{}", subnet); }
  static std::string port_device(std::size_t i) { return fmt::format("n{}", i); }
  static std::string mac_of(std::size_t i) { return numbered_mac(kUplinkRole, i).to_string(); }
  static std::string router_mac() { return numbered_mac(kRouterRole, 0).to_string(); }

  void add_sysctls() {
    for (const std::string_view setting :
         {"ipv4/ip_forward=1", "ipv4/conf/all/rp_filter=0", "ipv4/conf/default/rp_filter=0",
          "ipv4/conf/all/send_redirects=0", "ipv4/conf/default/send_redirects=0",
          "ipv4/icmp_ratelimit=0", "ipv4/icmp_ratemask=0", "ipv6/conf/all/forwarding=1",
          "ipv6/conf/default/accept_dad=0", "ipv6/conf/default/addr_gen_mode=1"}) {
      made_.sysctls.push_back({Program::Sysctl, fmt::format("net/{}", setting)});
    }
  }

  void add_subnet(std::size_t subnet) {
    const std::string device = is_bridged() ? subnet_device(subnet) : "lo";
    if (is_bridged()) {
      ip(fmt::format("link add {} address {} mtu {} type bridge", device, router_mac(),
                     fabric_.mtu));
    }
    ip(fmt::format("link set {} arp {} up", device, arp()));
    for (const IpPrefix& cidr : fabric_.subnets[subnet].cidrs) {
      const auto router = node::router(fabric_.subnets[subnet], cidr.is_ipv4());
      const std::string length = is_bridged() ? fmt::format("/{}", cidr.length()) : "";
      ip(fmt::format("address add {}{} dev {}", router->to_string(), length, device));
    }
  }

  void add_port(std::size_t i) {
    const std::string port = port_device(i);
    if (is_bridged()) {
      ip(fmt::format("link set {} mtu {} master {} up", port, fabric_.mtu, device_of(i)));
    } else {
      ip(fmt::format("link set {} address {} mtu {} arp {} up", port, router_mac(), fabric_.mtu,
                     arp()));
    }
    for (const IpAddress& address : instance(i).addresses) {
      ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent", address.to_string(),
                     mac_of(i), device_of(i)));
      if (!is_bridged()) ip(fmt::format("route add {} dev {}", host_prefix(address), port));
    }
    const auto uplink = std::ranges::find(nodes_[i].ports, forward::Egress::Uplink, &Port::egress);
    FabricPort made{.uplink = uplink->device, .device = port};
    const auto in_node = [&](std::string arguments) {
      made.node_commands.push_back({Program::Ip, std::move(arguments)});
    };
    // The kernel removes the neighbours of a device when its address or its use of ARP changes.
    in_node(fmt::format("link set {} address {}", made.uplink, mac_of(i)));
    in_node(fmt::format("link set {} arp {}", made.uplink, arp()));
    for (const Neighbour& neighbour : nodes_[i].neighbours) {
      if (neighbour.device != made.uplink || !is_answered(i, neighbour.address)) continue;
      in_node(fmt::format("neigh replace {} lladdr {} dev {} nud permanent",
                          neighbour.address.to_string(), mac_towards(i, neighbour.address),
                          made.uplink));
    }
    made_.ports.push_back(std::move(made));
  }

  bool is_answered(std::size_t i, IpAddress next_hop) const {
    return answers_for(fabric_, fabric_.subnets[instance(i).subnet], next_hop);
  }

  /// The address to which instance `i` sends frames for a next hop.
  std::string mac_towards(std::size_t i, IpAddress next_hop) const {
    for (std::size_t peer = 0; is_bridged() && peer < nodes_.size(); ++peer) {
      const bool is_on_link = instance(peer).subnet == instance(i).subnet;
      if (is_on_link && std::ranges::count(instance(peer).addresses, next_hop) > 0)
        return mac_of(peer);
    }
    return router_mac();
  }

  void add_routes(std::uint32_t table) {
    const std::string into = has_tables() ? fmt::format(" table {}", kFirstTable + table) : "";
    for (const auto& [prefix, route] : fabric_.route_tables[table].routes) {
      if (route.target == FabricTarget::Instance) add_instance_route(prefix, route.instance, into);
      if (route.target == FabricTarget::Local && has_tables()) add_local_routes(prefix, into);
      // No destination outside the VPC or of another owner exists here.
      if (route.target == FabricTarget::Blackhole || route.target == FabricTarget::Internet ||
          route.target == FabricTarget::Foreign)
        ip(fmt::format("route add blackhole {}{}", prefix.to_string(), into));
    }
  }

  void add_instance_route(const IpPrefix& prefix, std::size_t i, const std::string& into) {
    const auto via =
        std::ranges::find(instance(i).addresses, prefix.network().family(), &IpAddress::family);
    if (via == instance(i).addresses.end()) return;
    ip(fmt::format("route add {} via {} dev {} onlink{}", prefix.to_string(), via->to_string(),
                   device_of(i), into));
  }

  /// Adds the routes that the main table has from the subnets' addresses and the routes to ports.
  void add_local_routes(const IpPrefix& prefix, const std::string& into) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const IpAddress& address : instance(i).addresses) {
        if (!prefix.contains(address)) continue;
        ip(fmt::format("route add {} dev {}{}", host_prefix(address), device_of(i), into));
      }
    }
  }

  void add_rules() {
    for (std::size_t i = 0; i < (is_bridged() ? fabric_.subnets.size() : nodes_.size()); ++i) {
      const std::size_t subnet = is_bridged() ? i : instance(i).subnet;
      const std::string device = is_bridged() ? subnet_device(i) : port_device(i);
      ip(fmt::format("rule add iif {} lookup {}", device,
                     kFirstTable + fabric_.subnets[subnet].route_table));
    }
  }

  const FabricState& fabric_;
  std::span<const SetUp> nodes_;
  FabricSetUp made_;
};

}  // namespace

Parsed<FabricSetUp> fabric_set_up(const FabricState& fabric, std::span<const SetUp> nodes) {
  const auto is_ipv6 = [](const IpAddress& address) { return !address.is_ipv4(); };
  const bool has_ipv6 = std::ranges::any_of(fabric.instances, [&](const Instance& instance) {
    return std::ranges::any_of(instance.addresses, is_ipv6);
  });
  if (has_ipv6 && fabric.route_tables.size() > 1) {
    return fail("a fabric of several route tables with IPv6 is not supported on a kernel");
  }
  const auto delegates = [](const Instance& instance) { return !instance.prefixes.empty(); };
  if (std::ranges::any_of(fabric.instances, delegates)) {
    return fail("a fabric that hands prefixes to interfaces is not supported on a kernel");
  }
  return FabricCommands(fabric, nodes).run();
}

std::vector<std::string> left_to_the_model(const FabricState& fabric) {
  std::vector<std::string> left;
  const auto any = [&](auto holds) { return std::ranges::any_of(fabric.instances, holds); };
  if (any([](const Instance& instance) { return !instance.groups.empty(); }))
    left.emplace_back("security groups and firewalls");
  if (any([](const Instance& instance) { return instance.source_destination_check; }))
    left.emplace_back("source/destination checks");
  if (fabric.honours_next_hop && !fabric.dropped_protocols.empty())
    left.emplace_back("dropped protocols");
  if (fabric.drops_disordered_fragments) left.emplace_back("fragments out of order");
  return left;
}

FabricState without_what_is_left(FabricState fabric) {
  for (Instance& instance : fabric.instances) {
    instance.groups.clear();
    instance.source_destination_check = false;
  }
  if (fabric.honours_next_hop) fabric.dropped_protocols.clear();
  fabric.drops_disordered_fragments = false;
  return fabric;
}

namespace {

using Done = Result<void, std::string>;

constexpr std::uint8_t kWireRole = 5;
/// Default gateways of Calico's pods (projectcalico/cni-plugin): 169.254.1.1, and for IPv6 the
/// veth's own link-local address, which is replaced with a fixed one here.
constexpr const char* kGatewayIpv4 = "169.254.1.1";
constexpr const char* kGatewayIpv6 = "fe80::1";

const std::string& uplink_of(const SetUp& set_up) {
  return std::ranges::find(set_up.ports, forward::Egress::Uplink, &Port::egress)->device;
}

/// Commands of a node of a joined pair. Both uplinks have the same link-layer address, because a
/// device without ARP assumes that every neighbour has the device's own address.
std::vector<Command> wire_commands(const SetUp& set_up) {
  const std::string& uplink = uplink_of(set_up);
  const std::string mac = numbered_mac(kWireRole, 0).to_string();
  std::vector<Command> commands;
  const auto ip = [&](std::string arguments) {
    commands.push_back({Program::Ip, std::move(arguments)});
  };
  // The kernel removes the neighbours of a device when its address or its use of ARP changes.
  ip(fmt::format("link set {} address {}", uplink, mac));
  ip(fmt::format("link set {} arp off", uplink));
  for (const Neighbour& neighbour : set_up.neighbours) {
    if (neighbour.device != uplink) continue;
    ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent", neighbour.address.to_string(),
                   mac, uplink));
  }
  return commands;
}

/// Moves the far end of a veth pair from `world` into `target` and renames it to `name`.
Done move_end(const NetworkNamespace& world, const std::string& device,
              const NetworkNamespace& target, const std::string& name) {
  const std::vector<Command> move = {
      {Program::Ip, fmt::format("link set {} name {} netns {}", device, name, kWorld)}};
  return run_commands(move, world, target);
}

}  // namespace

Done ClusterNamespaces::add_node(const SetUp& set_up, const Prepare& prepare) {
  auto node = NetworkNamespace::make();
  if (!node) return fail(node.error());
  if (prepare)
    if (auto done = prepare(*node); !done) return done;
  auto world = make_silent_namespace();
  if (!world) return fail(world.error());
  if (auto done = run_commands(set_up.commands, *node, *world); !done) return done;
  nodes_.push_back(*std::move(node));
  worlds_.push_back(*std::move(world));
  return {};
}

Parsed<ClusterNamespaces> ClusterNamespaces::make(std::span<const SetUp> nodes,
                                                  const FabricSetUp& fabric,
                                                  const Prepare& prepare) {
  auto between = NetworkNamespace::make();
  if (!between) return fail(between.error());
  ClusterNamespaces made(*std::move(between));
  if (auto done = run_commands(fabric.sysctls, made.fabric_, made.fabric_); !done)
    return fail(done.error());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const FabricPort& port = fabric.ports[i];
    if (auto done = made.add_node(nodes[i], prepare); !done) return fail(done.error());
    if (auto done = move_end(made.worlds_[i], port.uplink, made.fabric_, port.device); !done)
      return fail(done.error());
  }
  if (auto done = run_commands(fabric.commands, made.fabric_, made.fabric_); !done)
    return fail(done.error());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (auto done = run_commands(fabric.ports[i].node_commands, made.nodes_[i], made.fabric_);
        !done)
      return fail(done.error());
  return made;
}

Parsed<ClusterNamespaces> ClusterNamespaces::join(const node::NodeState& first,
                                                  const node::NodeState& second) {
  auto between = NetworkNamespace::make();
  if (!between) return fail(between.error());
  ClusterNamespaces made(*std::move(between));
  const SetUp near = set_up(first), far = set_up(second, {}, UplinkPair::Find);
  if (auto done = made.add_node(near); !done) return fail(done.error());
  // The second node's namespace must have the other end of the first node's uplink before the
  // second node's commands run.
  auto node = NetworkNamespace::make();
  if (!node) return fail(node.error());
  if (auto done = move_end(made.worlds_[0], uplink_of(near), *node, uplink_of(far)); !done)
    return fail(done.error());
  auto world = make_silent_namespace();
  if (!world) return fail(world.error());
  if (auto done = run_commands(far.commands, *node, *world); !done) return fail(done.error());
  made.nodes_.push_back(*std::move(node));
  made.worlds_.push_back(*std::move(world));
  for (const auto& [set_up, own] : {std::pair(&near, 0u), std::pair(&far, 1u)})
    if (auto done = run_commands(wire_commands(*set_up), made.nodes_[own], made.fabric_); !done)
      return fail(done.error());
  return made;
}

Parsed<NetworkNamespace> make_outside_client(const FabricState& fabric,
                                             const NetworkNamespace& router,
                                             const Ipv4Address& address) {
  auto client = make_silent_namespace();
  if (!client) return client;
  const std::string device = "outside", own = host_prefix(address);
  const std::string gateway = kGatewayIpv4;
  std::vector<Command> commands = {
      {Program::Ip, fmt::format("link add {} type veth peer name eth0 netns {}", device, kWorld)},
      {Program::Ip, fmt::format("address add {}/32 dev {}", gateway, device)},
      {Program::Ip, fmt::format("link set {} up", device)},
      {Program::Ip, fmt::format("route add {} dev {}", own, device)}};
  if (fabric.route_tables.size() > 1)
    for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table)
      commands.push_back({Program::Ip, fmt::format("route add {} dev {} table {}", own, device,
                                                   kFirstTable + table)});
  const std::vector<Command> of_client = {
      {Program::Ip, "link set lo up"},
      {Program::Ip, "link set eth0 up"},
      {Program::Ip, fmt::format("address add {} dev eth0", own)},
      {Program::Ip, fmt::format("route add default via {} dev eth0 onlink", gateway)}};
  if (auto done = run_commands(commands, router, *client); !done) return fail(done.error());
  if (auto done = run_commands(of_client, *client, router); !done) return fail(done.error());
  if (auto done = wait_until_running(*client, "eth0"); !done) return fail(done.error());
  return client;
}

Parsed<NetworkNamespace> make_pod(const PodVeth& veth, const NetworkNamespace& world) {
  auto made = NetworkNamespace::make();
  if (!made) return fail(made.error());
  if (auto done = move_end(world, veth.device, *made, "eth0"); !done) return fail(done.error());
  const IpAddress& pod = veth.address;
  const char* gateway = pod.is_ipv4() ? kGatewayIpv4 : kGatewayIpv6;
  std::vector<Command> commands;
  if (!pod.is_ipv4()) commands.push_back({Program::Sysctl, "net/ipv6/conf/eth0/accept_dad=0"});
  for (std::string arguments :
       {std::string("link set lo up"),
        fmt::format("link set eth0 address {} mtu {} up", veth.pod_mac.to_string(), veth.mtu),
        fmt::format("address add {} dev eth0{}", host_prefix(pod), pod.is_ipv4() ? "" : " nodad"),
        fmt::format("neigh replace {} lladdr {} dev eth0 nud permanent", gateway,
                    veth.node_mac.to_string()),
        fmt::format("route add default via {} dev eth0 onlink", gateway)})
    commands.push_back({Program::Ip, std::move(arguments)});
  if (auto done = run_commands(commands, *made, world); !done) return fail(done.error());
  return made;
}

Parsed<NetworkNamespace> make_pod(const node::NodeState& state, const SetUp& set_up,
                                  const NetworkNamespace& world, const IpAddress& pod) {
  const auto local = std::ranges::find(state.pods, pod, &node::LocalPod::address);
  if (local == state.pods.end()) return fail(fmt::format("no pod {}", pod.to_string()));
  const std::string device(state.pod_device(pod).view());
  const auto port = std::ranges::find(set_up.ports, device, &Port::device);
  const auto known = std::ranges::find_if(set_up.neighbours, [&](const Neighbour& neighbour) {
    return neighbour.device == device && neighbour.address == pod;
  });
  if (port == set_up.ports.end() || known == set_up.neighbours.end())
    return fail(fmt::format("no device for the pod {}", pod.to_string()));
  return make_pod(PodVeth{.address = pod,
                          .device = device,
                          .mtu = local->mtu,
                          .pod_mac = known->mac,
                          .node_mac = port->node_mac},
                  world);
}

}  // namespace overlane::kernel

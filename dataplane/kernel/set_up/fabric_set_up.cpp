#include "dataplane/kernel/set_up/fabric_set_up.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::kernel {
namespace {

using node::FabricState;
using node::FabricTarget;
using node::Instance;

constexpr std::uint8_t kUplinkRole = 3;
constexpr std::uint8_t kRouterRole = 4;
/// Numbers of further routing tables: beyond those with names (iproute2, etc/iproute2/rt_tables).
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
  /// One table is the main one.
  bool has_tables() const { return fabric_.route_tables.size() > 1; }
  void ip(std::string arguments) { made_.commands.push_back({Program::Ip, std::move(arguments)}); }

  const Instance& instance(std::size_t i) const { return fabric_.instances[i]; }
  /// Kernels are told their neighbours beforehand; where a next hop may have none, they must ask.
  const char* arp() const {
    return fabric_.link_layer_answers == node::LinkLayerAnswers::WithinSubnet ? "on" : "off";
  }
  /// Where the router has the instance.
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
    // A kernel forgets the neighbours of a device whose address or whose use of ARP changes.
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

  /// To whom instance `i` sends a frame for a next hop.
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
      // Nobody here is outside the VPC, or of another owner.
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

  /// The main table has them by the addresses of subnets and the routes to ports.
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

}  // namespace overlane::kernel

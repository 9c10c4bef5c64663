#include "dataplane/kernel/set_up/cluster_namespaces.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/kernel/set_up/set_up.h"

namespace overlane::kernel {
namespace {

using Done = Result<void, std::string>;

constexpr std::uint8_t kWireRole = 5;
/// Where Calico's pods find their node (projectcalico/cni-plugin: 169.254.1.1, and the veth's own
/// link-local address, for which a fixed one stands).
constexpr const char* kGatewayIpv4 = "169.254.1.1";
constexpr const char* kGatewayIpv6 = "fe80::1";

const std::string& uplink_of(const SetUp& set_up) {
  return std::ranges::find(set_up.ports, forward::Egress::Uplink, &Port::egress)->device;
}

/// What a node of a joined pair has to know of the other one: both ends have the same link-layer
/// address, which is where a device without ARP takes any neighbour to be.
std::vector<Command> wire_commands(const SetUp& set_up) {
  const std::string& uplink = uplink_of(set_up);
  const std::string mac = numbered_mac(kWireRole, 0).to_string();
  std::vector<Command> commands;
  const auto ip = [&](std::string arguments) {
    commands.push_back({Program::Ip, std::move(arguments)});
  };
  // A kernel forgets the neighbours of a device whose address or whose use of ARP changes.
  ip(fmt::format("link set {} address {}", uplink, mac));
  ip(fmt::format("link set {} arp off", uplink));
  for (const Neighbour& neighbour : set_up.neighbours) {
    if (neighbour.device != uplink) continue;
    ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent", neighbour.address.to_string(),
                   mac, uplink));
  }
  return commands;
}

/// Moves a far end of a veth pair from `world` into `target`, as `name`.
Done move_end(const NetworkNamespace& world, const std::string& device,
              const NetworkNamespace& target, const std::string& name) {
  const std::vector<Command> move = {
      {Program::Ip, fmt::format("link set {} name {} netns {}", device, name, kWorld)}};
  return run_commands(move, world, target);
}

}  // namespace

Done ClusterNamespaces::add_node(const SetUp& set_up) {
  auto node = NetworkNamespace::make();
  if (!node) return fail(node.error());
  auto world = make_silent_namespace();
  if (!world) return fail(world.error());
  if (auto done = run_commands(set_up.commands, *node, *world); !done) return done;
  nodes_.push_back(*std::move(node));
  worlds_.push_back(*std::move(world));
  return {};
}

Parsed<ClusterNamespaces> ClusterNamespaces::make(std::span<const SetUp> nodes,
                                                  const FabricSetUp& fabric) {
  auto between = NetworkNamespace::make();
  if (!between) return fail(between.error());
  ClusterNamespaces made(*std::move(between));
  if (auto done = run_commands(fabric.sysctls, made.fabric_, made.fabric_); !done)
    return fail(done.error());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const FabricPort& port = fabric.ports[i];
    if (auto done = made.add_node(nodes[i]); !done) return fail(done.error());
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
  // The far node finds the other end of the near one's uplink when its commands begin.
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

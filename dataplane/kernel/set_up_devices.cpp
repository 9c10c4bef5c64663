#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/set_up_steps.h"

namespace overlane::kernel {
namespace {

using node::Device;
using node::DeviceKind;
using node::NodeState;

/// The far ends take anything that the node's ends let out.
constexpr std::uint32_t kFarEndMtu = 65535;

class DeviceCommands {
 public:
  DeviceCommands(const NodeState& state, SetUp& set_up)
      : state_(state), set_up_(set_up), commands_(set_up.commands) {}

  void run() {
    ip("link set lo up");
    for (const Port& port : set_up_.ports)
      add_port(port);
    for (const Device& device : state_.devices)
      add(device);
    add_address_without_device();
    for (const Neighbour& neighbour : set_up_.neighbours) {
      ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent",
                     neighbour.address.to_string(), neighbour.mac.to_string(), neighbour.device));
    }
  }

 private:
  void ip(std::string arguments) { commands_.push_back({Program::Ip, std::move(arguments)}); }

  std::uint32_t mtu_of(const Port& port) const {
    if (const Device* device = state_.find_device(port.device)) return device->mtu;
    const auto pod = std::ranges::find(state_.pods, port.device, [](const node::LocalPod& local) {
      return node::pod_device(local.address);
    });
    return pod->mtu;
  }

  void add_port(const Port& port) {
    ip(fmt::format("link add {0} address {1} mtu {2} type veth peer name {0} mtu {3} netns {4}",
                   port.device, port.node_mac.to_string(), mtu_of(port), kFarEndMtu, kWorld));
    ip(fmt::format("link set {} arp off up", port.device));
  }

  void add(const Device& device) {
    switch (device.kind) {
      case DeviceKind::Loopback:
      case DeviceKind::Uplink:
        break;
      case DeviceKind::Ipip:
        add_ipip(device);
        break;
      case DeviceKind::Vxlan:
        add_vxlan(device);
        break;
    }
    if (device.address) {
      ip(fmt::format("address add {} dev {}", host_prefix(*device.address), device.name));
    }
  }

  /// The module brings tunl0, the fallback device, into every namespace. It takes any remote.
  void add_ipip(const Device& device) {
    if (device.name != "tunl0") ip(fmt::format("link set tunl0 name {}", device.name));
    ip(fmt::format("link set {} mtu {} up", device.name, device.mtu));
  }

  /// As Felix makes it (calico felix/dataplane/linux/vxlan_mgr.go).
  void add_vxlan(const Device& device) {
    const Device* uplink = state_.uplink();
    const std::string parent = uplink == nullptr ? "" : " dev " + uplink->name;
    ip(fmt::format(
        "link add {} address {} mtu {} type vxlan id {} local {}{} dstport {} nolearning",
        device.name, device.mac.to_string(), device.mtu, device.vni,
        state_.member().address.to_string(), parent, device.udp_port));
    ip(fmt::format("link set {} up", device.name));
    for (const node::Member& peer : state_.cluster->members) {
      if (peer == state_.member()) continue;
      ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent",
                     peer.tunnel_address.to_string(), peer.vtep_mac.to_string(), device.name));
    }
  }

  /// The node keeps its address when the state has no device for it.
  void add_address_without_device() {
    const IpAddress own = state_.member().address;
    const bool placed = std::ranges::any_of(
        state_.devices, [&](const Device& device) { return device.address == own; });
    if (!placed) ip(fmt::format("address add {} dev lo", host_prefix(own)));
  }

  const NodeState& state_;
  SetUp& set_up_;
  std::vector<Command>& commands_;
};

}  // namespace

void add_device_settings(const NodeState& state, std::vector<Command>& commands) {
  for (const Device& device : state.devices) {
    if (device.rp_filter == 0) continue;
    commands.push_back({Program::Sysctl, fmt::format("net/ipv4/conf/{}/rp_filter={}", device.name,
                                                     device.rp_filter)});
  }
  for (const Device& device : state.devices) {
    if (device.kind != DeviceKind::Vxlan) continue;
    for (const node::Member& peer : state.cluster->members) {
      if (peer == state.member()) continue;
      commands.push_back(
          {Program::Bridge,
           fmt::format("fdb replace {} dev {} dst {} self permanent", peer.vtep_mac.to_string(),
                       device.name, peer.address.to_string())});
    }
  }
}

void add_devices(const NodeState& state, SetUp& set_up) {
  DeviceCommands(state, set_up).run();
}

}  // namespace overlane::kernel

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/kernel/set_up/set_up_steps.h"

namespace overlane::kernel {
namespace {

using node::Device;
using node::DeviceKind;
using node::NodeState;

/// Calls `each(addresses, node address of the underlay)` for every peer that a VXLAN device
/// reaches.
template <typename Each>
void for_each_vtep(const NodeState& state, const Device& device, Each each) {
  // Calico has one device for each family of pods, over that family.
  for (const node::Member& peer : state.cluster->members()) {
    const node::MemberAddresses* addresses = peer.in(device.underlay);
    if (addresses != nullptr && peer != state.member()) each(*addresses, addresses->node);
  }
}

/// The far ends take anything that the node's ends let out.
constexpr std::uint32_t kFarEndMtu = 65535;

class DeviceCommands {
 public:
  DeviceCommands(const NodeState& state, UplinkPair uplink, SetUp& set_up)
      : state_(state), uplink_(uplink), set_up_(set_up), commands_(set_up.commands) {}

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
    if (const Device* device = state_.find_device(std::string_view(port.device))) {
      return device->mtu;
    }
    const auto pod = std::ranges::find(state_.pods, port.device, [&](const node::LocalPod& local) {
      return std::string(state_.pod_device(local.address).view());
    });
    return pod->mtu;
  }

  void add_port(const Port& port) {
    if (port.egress == forward::Egress::Uplink && uplink_ == UplinkPair::Find)
      ip(fmt::format("link set {} address {} mtu {}", port.device, port.node_mac.to_string(),
                     mtu_of(port)));
    else
      ip(fmt::format("link add {0} address {1} mtu {2} type veth peer name {0} mtu {3} netns {4}",
                     port.device, port.node_mac.to_string(), mtu_of(port), kFarEndMtu, kWorld));
    ip(fmt::format("link set {} arp off up", port.device));
  }

  void add(const Device& device) {
    switch (device.kind) {
      case DeviceKind::Loopback:
        add_loopback(device);
        break;
      case DeviceKind::Uplink:
        break;
      case DeviceKind::Ipip:
        if (device.remote) add_link(device, "ipip", "ttl inherit nopmtudisc");
        if (!device.remote) add_fallback(device, "tunl0");
        break;
      case DeviceKind::Sit:
        add_fallback(device, "sit0");
        break;
      case DeviceKind::Ip6Tnl:
        add_link(device, "ip6tnl", "mode any");
        break;
      case DeviceKind::Vxlan:
        add_vxlan(device);
        break;
      case DeviceKind::Geneve:
        add_geneve(device);
        break;
      case DeviceKind::Wireguard:  // Without keys and peers: no place of the testbed has it.
        ip(fmt::format("link add {} mtu {} type wireguard", device.name.view(), device.mtu));
        break;
    }
    for (const IpAddress& address : device.addresses) {
      add_address(address, device.name.view());
    }
  }

  void add_address(IpAddress address, std::string_view device) {
    const bool ipv4 = address.is_ipv4();
    ip(fmt::format("address add {} dev {}{}", host_prefix(address), device, ipv4 ? "" : " nodad"));
  }

  /// Besides lo there are devices that only hold an address (cilium_host): a veth whose other end
  /// stays down takes whatever is sent to it, as lo does with what is not the node's own.
  void add_loopback(const Device& device) {
    const std::string_view name = device.name.view();
    if (name == "lo") return;
    ip(fmt::format("link add {} mtu {} type veth", name, device.mtu));
    ip(fmt::format("link set {} arp off up", name));
  }

  /// A point-to-point device.
  void add_link(const Device& device, std::string_view type, std::string_view options) {
    const auto local = state_.address(device.underlay);
    ip(fmt::format("link add {} mtu {} type {} {}{}{}", device.name.view(), device.mtu, type,
                   options, local ? " local " + local->to_string() : "",
                   device.remote ? " remote " + device.remote->to_string() : ""));
    ip(fmt::format("link set {} up", device.name.view()));
  }

  /// The module brings tunl0 or sit0, the fallback device, into every namespace. It takes any
  /// remote.
  void add_fallback(const Device& device, std::string_view fallback) {
    const std::string_view name = device.name.view();
    if (name != fallback) ip(fmt::format("link set {} name {}", fallback, name));
    ip(fmt::format("link set {} mtu {} up", name, device.mtu));
  }

  /// As Felix makes it (calico felix/dataplane/linux/vxlan_mgr.go), or as Cilium does: in metadata
  /// mode and without ARP.
  void add_vxlan(const Device& device) {
    const std::string_view name = device.name.view();
    if (device.external) {
      ip(fmt::format("link add {} address {} mtu {} type vxlan external dstport {} nolearning",
                     name, device.mac.to_string(), device.mtu, device.udp_port));
      ip(fmt::format("link set {} arp off up", name));
      return;
    }
    const Device* uplink = state_.uplink();
    const auto local = state_.address(device.underlay);
    ip(fmt::format(
        "link add {} address {} mtu {} type vxlan id {}{}{} dstport {} nolearning", name,
        device.mac.to_string(), device.mtu, device.vni, local ? " local " + local->to_string() : "",
        uplink == nullptr ? "" : fmt::format(" dev {}", uplink->name.view()), device.udp_port));
    ip(fmt::format("link set {} up", name));
    for_each_vtep(state_, device, [&](const node::MemberAddresses& vtep, IpAddress) {
      ip(fmt::format("neigh replace {} lladdr {} dev {} nud permanent", vtep.tunnel.to_string(),
                     vtep.vtep_mac.to_string(), name));
    });
  }

  void add_geneve(const Device& device) {
    const std::string far_end =
        device.external ? "external"
        : device.remote ? fmt::format("id {} remote {}", device.vni, device.remote->to_string())
                        : "";
    ip(fmt::format("link add {} address {} mtu {} type geneve {} dstport {}", device.name.view(),
                   device.mac.to_string(), device.mtu, far_end, device.udp_port));
    ip(fmt::format("link set {} arp off up", device.name.view()));
  }

  /// The node keeps its addresses when the state has no device for them.
  void add_address_without_device() {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      const auto own = state_.address(family);
      const bool placed = !own || std::ranges::any_of(state_.devices, [&](const Device& device) {
        return device.has(*own);
      });
      if (!placed) add_address(*own, "lo");
    }
  }

  const NodeState& state_;
  UplinkPair uplink_;
  SetUp& set_up_;
  std::vector<Command>& commands_;
};

}  // namespace

void add_device_settings(const NodeState& state, std::vector<Command>& commands) {
  for (const Device& device : state.devices) {
    if (device.rp_filter == 0) continue;
    commands.push_back({Program::Sysctl, fmt::format("net/ipv4/conf/{}/rp_filter={}",
                                                     device.name.view(), device.rp_filter)});
  }
  for (const Device& device : state.devices) {
    if (device.kind != DeviceKind::Vxlan || device.external) continue;
    for_each_vtep(state, device, [&](const node::MemberAddresses& vtep, IpAddress node) {
      commands.push_back(
          {Program::Bridge,
           fmt::format("fdb replace {} dev {} dst {} self permanent", vtep.vtep_mac.to_string(),
                       device.name.view(), node.to_string())});
    });
  }
}

void add_devices(const NodeState& state, UplinkPair uplink, SetUp& set_up) {
  DeviceCommands(state, uplink, set_up).run();
}

}  // namespace overlane::kernel

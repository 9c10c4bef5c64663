#include "dataplane/kernel/set_up/set_up.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dataplane/encap/outer_rules.h"

namespace overlane::kernel {

using node::Device;
using node::DeviceKind;
using node::NodeState;
using node::RouteMatch;

namespace {

constexpr std::uint8_t kPortRole = 1;
constexpr std::uint8_t kNeighbourRole = 2;

std::vector<Port> ports_of(const NodeState& state) {
  std::vector<Port> ports;
  for (const Device& device : state.devices) {
    if (device.kind != DeviceKind::Uplink) continue;
    ports.push_back({std::string(device.name.view()), forward::Egress::Uplink,
                     numbered_mac(kPortRole, ports.size())});
  }
  for (const node::LocalPod& pod : state.pods) {
    ports.push_back({std::string(state.pod_device(pod.address).view()), forward::Egress::Pod,
                     numbered_mac(kPortRole, ports.size())});
  }
  return ports;
}

/// The addresses on the uplink to which the node may send.
std::set<IpAddress> uplink_neighbours(const NodeState& state, const Device& uplink,
                                      std::span<const IpAddress> more) {
  std::set<IpAddress> addresses(more.begin(), more.end());
  for (const node::RouteMatch& match : node::main_table(state)) {
    if (match.route.device == uplink.name && match.route.via) addresses.insert(*match.route.via);
  }
  for (const node::Member& member : state.cluster->members()) {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (const auto* member_addresses = member.in(family))
        addresses.insert(member_addresses->node);
    }
  }
  std::erase_if(addresses, [&](IpAddress address) {
    return state.address(address.family()) == address || (!address.is_ipv4() && !has_ipv6(state));
  });
  return addresses;
}

std::vector<Neighbour> neighbours_of(const NodeState& state, std::span<const IpAddress> more) {
  std::vector<Neighbour> neighbours;
  const auto add = [&](node::DeviceName device, IpAddress address) {
    neighbours.push_back(
        {std::string(device.view()), address, numbered_mac(kNeighbourRole, neighbours.size())});
  };
  if (const Device* uplink = state.uplink()) {
    for (const IpAddress address : uplink_neighbours(state, *uplink, more))
      add(uplink->name, address);
  }
  for (const node::LocalPod& pod : state.pods)
    add(state.pod_device(pod.address), pod.address);
  return neighbours;
}

/// Calls `each(addresses, node address of the underlay)` for every peer of a VXLAN device.
template <typename Each>
void for_each_vtep(const NodeState& state, const Device& device, Each each) {
  // Calico has one device per family of pods, over that family.
  for (const node::Member& peer : state.cluster->members()) {
    const node::MemberAddresses* addresses = peer.in(device.underlay);
    if (addresses != nullptr && peer != state.member()) each(*addresses, addresses->node);
  }
}

/// MTU of the far ends, which accept every packet that the node sends.
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
      case DeviceKind::Wireguard:  // Without keys and peers, because no place of the testbed
                                   // supports WireGuard.
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

  /// Adds a device that only holds an address (cilium_host); lo exists already. A veth whose other
  /// end stays down drops everything sent to it, like lo for addresses that are not the node's.
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

  /// Sets up tunl0 or sit0, the fallback device, which the module creates in every namespace. It
  /// accepts any remote.
  void add_fallback(const Device& device, std::string_view fallback) {
    const std::string_view name = device.name.view();
    if (name != fallback) ip(fmt::format("link set {} name {}", fallback, name));
    ip(fmt::format("link set {} mtu {} up", name, device.mtu));
  }

  /// Makes the device as Felix does (calico felix/dataplane/linux/vxlan_mgr.go), or as Cilium does:
  /// in metadata mode and without ARP.
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

  /// Adds the node's own addresses if the state has no device for them.
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

bool has_device(const NodeState& state, const RouteMatch& match) {
  return match.route.device.empty() || match.pod != nullptr ||
         state.find_device(match.route.device) != nullptr;
}

/// The tunnel metadata that an eBPF program sets besides the far end (Cilium: ctx_set_encap_info,
/// bpf/lib), so that the outer header matches outer_rules().
std::string metadata(const node::Device& device, IpAddress far_end) {
  const encap::OuterRules rules = encap::outer_rules(device.encapsulation(), far_end.family());
  return fmt::format(" {} {}{}", far_end.is_ipv4() ? "ttl" : "hoplimit", rules.ttl,
                     rules.udp_checksum == encap::UdpChecksum::Computed ? " csum" : "");
}

/// Text of a route like node::to_string, but with a family in the destination: "default" means IPv4
/// for `ip`.
///
/// A node sends its ICMP errors to pods from its first address (inet_select_addr,
/// net/ipv4/devinet.c, because the veths have none), which is the uplink's. In a new namespace the
/// fallback tunnel devices come before the uplink, so the pods' routes name that address.
std::string route_text(const NodeState& state, const RouteMatch& match) {
  const IpPrefix destination = match.destination;
  std::string text = node::to_string(match.destination, match.route);
  const std::string_view word = "default";
  if (destination.length() == 0)
    text.replace(text.find(word), word.size(), destination.to_string());
  if (match.route.tunnel_destination) {
    const node::Device* device = state.find_device(match.route.device);
    const std::string_view far_end = " dst ";
    text.insert(
        text.find(far_end),
        fmt::format(" id {}{}", device->vni, metadata(*device, *match.route.tunnel_destination)));
  }
  const auto own = state.address(destination.network().family());
  if (match.pod != nullptr && own) text += " src " + own->to_string();
  return text;
}

/// Adds the sysctls that must be set before any device exists.
void add_sysctls(const NodeState& state, std::vector<Command>& commands) {
  const auto set = [&](const std::string& key, int value) {
    commands.push_back({Program::Sysctl, fmt::format("net/{}={}", key, value)});
  };
  set("ipv4/ip_forward", state.sysctls.ip_forward ? 1 : 0);
  set("ipv4/conf/all/rp_filter", state.sysctls.rp_filter_all);
  set("ipv4/conf/default/rp_filter", 0);
  set("ipv4/ipfrag_time", state.sysctls.ipfrag_time);
  set("ipv4/icmp_ratelimit", 0);
  set("ipv4/icmp_ratemask", 0);
  set("ipv4/icmp_echo_ignore_all", 1);
  set("ipv4/conf/all/send_redirects", 0);
  set("ipv4/conf/default/send_redirects", 0);
  if (!has_ipv6(state)) {
    set("ipv6/conf/all/disable_ipv6", 1);
    set("ipv6/conf/default/disable_ipv6", 1);
    return;
  }
  set("ipv6/conf/all/forwarding", state.sysctls.ipv6_forwarding ? 1 : 0);
  set("ipv6/conf/default/accept_dad", 0);
  set("ipv6/conf/default/accept_ra", 0);
  set("ipv6/conf/default/router_solicitations", 0);
  set("ipv6/conf/default/addr_gen_mode", 1);
  set("ipv6/ip6frag_time", state.sysctls.ip6frag_time);
  set("ipv6/icmp/ratelimit", 0);
  set("ipv6/icmp/echo_ignore_all", 1);
}

/// Adds sysctls of devices and forwarding databases.
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

/// Adds ports and tunnel devices with addresses and MTU, sets them up, and adds their neighbours.
void add_devices(const NodeState& state, UplinkPair uplink, SetUp& set_up) {
  DeviceCommands(state, uplink, set_up).run();
}

/// Adds the routes of the main table, then sets devices down that are down in the state, which
/// removes their routes.
void add_routes(const NodeState& state, std::vector<Command>& commands) {
  // The state before devices are set down, which removes their routes.
  NodeState all_up = state;
  for (node::Device& device : all_up.devices)
    device.up = true;
  std::vector<RouteMatch> table = node::main_table(all_up);
  // A next hop must be reachable when its route is added.
  std::ranges::stable_partition(table, [](const RouteMatch& match) { return !match.route.via; });
  for (const RouteMatch& match : table) {
    if (!has_device(state, match)) continue;
    commands.push_back({Program::Ip, "route replace " + route_text(state, match)});
  }
  for (const IpPrefix& prefix : state.local_routes)
    commands.push_back(
        {Program::Ip, fmt::format("route add local {} dev lo proto static", prefix.to_string())});
  for (const node::Device& device : state.devices) {
    if (!device.up)
      commands.push_back({Program::Ip, fmt::format("link set {} down", device.name.view())});
  }
}

}  // namespace

SetUp set_up(const NodeState& state, std::span<const IpAddress> more_neighbours,
             UplinkPair uplink) {
  SetUp result{.ports = ports_of(state), .neighbours = neighbours_of(state, more_neighbours)};
  add_sysctls(state, result.commands);
  add_devices(state, uplink, result);
  add_routes(state, result.commands);
  add_device_settings(state, result.commands);
  add_filters(state, result.commands);
  return result;
}

bool has_ipv6(const NodeState& state) {
  const auto is_ipv6 = [](const IpAddress& address) { return !address.is_ipv4(); };
  return state.address(Family::Ipv6).has_value() ||
         std::ranges::any_of(state.pods, is_ipv6, &node::LocalPod::address) ||
         std::ranges::any_of(state.routes,
                             [](const auto& entry) { return !IpPrefix(entry.first).is_ipv4(); });
}

MacAddress numbered_mac(std::uint8_t role, std::size_t number) {
  // Locally administered (IEEE 802, second-least significant bit of the first byte).
  return {{0x02, role, 0, 0, static_cast<std::uint8_t>(number >> 8),
           static_cast<std::uint8_t>(number)}};
}

std::string host_prefix(IpAddress address) {
  return IpPrefix::host(address).to_string();
}

}  // namespace overlane::kernel

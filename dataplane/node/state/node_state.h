#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/units.h"
#include "dataplane/node/state/cluster_table.h"
#include "dataplane/node/state/device.h"
#include "dataplane/node/state/generation.h"
#include "dataplane/node/state/packet_filter.h"
#include "dataplane/node/state/services.h"

namespace overlane::node {

// The configuration of one node's kernel that decides about packets: devices, routes, pods,
// sysctls, packet filter and Services. Parts that all nodes share (ClusterTable, PacketFilter,
// ServiceTable) are shared pointers to constants. Only NodeEditor (world.h) changes a state,
// and raises its Generation; any number of threads may read one meanwhile unchanged. The
// questions that forwarding asks of a state are functions here: lookup(), receiving_device(),
// tunnel_ports(), socket_route().

/// A pod on this node: its /32 route through its veth follows from it.
struct LocalPod {
  IpAddress address;
  std::uint32_t mtu = 1500;  ///< MTU of the veth pair, fixed when the pod was made.
  /// MTU attribute of the routes inside the pod (Cilium's way to lower it); 0 when there is none.
  std::uint32_t route_mtu = 0;

  /// The largest packet that the pod sends by itself.
  std::uint32_t sending_mtu() const { return route_mtu != 0 ? route_mtu : mtu; }
  auto operator<=>(const LocalPod&) const = default;
};

/// Facts that changed between Linux versions.
struct KernelProfile {
  /// Since 50c661670f6a (5.11, stable 5.4): the inner DF bit is merged before the tunnel's path MTU
  /// check, so the pod hears of an outer packet that would not fit.
  bool tunnel_pmtu_honours_inner_df = true;

  auto operator<=>(const KernelProfile&) const = default;
};

/// Sysctls that decide a packet's fate.
struct Sysctls {
  std::uint8_t rp_filter_all = 0;  ///< net.ipv4.conf.all.rp_filter: 0 off, 1 strict, 2 loose.
  bool ip_forward = true;
  bool ipv6_forwarding = true;  ///< net.ipv6.conf.all.forwarding.
  /// net.ipv4.icmp_ratelimit and net.ipv6.icmp.ratelimit: 1,000 ms, or 0, which in Linux 6.1 lifts
  /// the limit to all destinations together as well.
  bool icmp_ratelimit = true;
  bool route_error_cost = true;  ///< net.ipv4.route.error_cost: 1,000 ms or 0.
  /// How long the fragments of a packet are waited for, in seconds: net.ipv4.ipfrag_time;
  /// net.ipv6.ip6frag_time and net.netfilter.nf_conntrack_frag6_timeout.
  std::uint8_t ipfrag_time = 30;
  std::uint8_t ip6frag_time = 60;

  Picos reassembly_timeout(Family family) const {
    return seconds(family == Family::Ipv4 ? ipfrag_time : ip6frag_time);
  }

  auto operator<=>(const Sysctls&) const = default;
};

/// The configuration of one node's kernel that decides a packet's fate. A value, which a
/// NodeEditor changes once it is made; what the kernel learns lives in NodeRuntime.
///
/// The main table is three layers, nearest first: `routes` (this node's own and whatever an actor
/// changed), the /32 of each local pod, and the peers' pod CIDRs expanded from `cluster`; a prefix
/// in `removed` hides the entry of the two derived layers.
struct NodeState {
  std::shared_ptr<const ClusterTable> cluster;  ///< Never null.
  MemberIndex self;
  std::vector<Device> devices;  ///< Sorted by name.
  std::vector<LocalPod> pods;   ///< Sorted by address.
  fib::PrefixTable<Route> routes;
  std::vector<IpPrefix> removed;  ///< Sorted.
  /// Prefixes of the table `local`, beside the devices' addresses: a packet to one of them is for
  /// the node itself, whatever the main table says (`ip route add local`). Sorted.
  std::vector<IpPrefix> local_routes;
  std::shared_ptr<const PacketFilter> filter;  ///< Null: no rules at all.
  /// Null: none. Translated only where the filter has connections tracked.
  std::shared_ptr<const ServiceTable> services;
  Sysctls sysctls;
  KernelProfile kernel;
  /// Prefix of the names of pods' veths: "cali" (calico/cni), "lxc" (cilium).
  DeviceName pod_device_prefix = "cali";
  Generation generation;

  const Member& member() const { return cluster->members()[self.value]; }
  /// The node's own address of that family, if it has one.
  std::optional<IpAddress> address(Family family) const;
  const Device* find_device(DeviceName name) const;
  /// Whether there is such a device and it is up.
  bool is_up(DeviceName name) const;
  /// The device that leads to the fabric, or null.
  const Device* uplink() const;
  const LocalPod* find_pod(IpAddress address) const;
  /// Name of a local pod's veth on the node: the prefix and eight digits (the CNI hashes the
  /// workload's name; here the address stands for it).
  DeviceName pod_device(IpAddress address) const;

  /// Structural: compares tables and filters by value, and not the generations.
  bool operator==(const NodeState& other) const;
};

/// A route of the main table, as a lookup finds it.
struct RouteMatch {
  IpPrefix destination;
  Route route;
  const LocalPod* pod = nullptr;  ///< Set when the route is a local pod's /32.
  const Member* peer = nullptr;   ///< Set when the route was expanded from the cluster table.
};

/// Whether the node itself has this address: on a device, by a local route, or, as a Service's, on
/// IPVS's kube-ipvs0.
bool is_local(const NodeState& state, IpAddress address);

/// What an encapsulated packet shows of the tunnel it came through.
struct TunnelKey {
  Encapsulation encapsulation = Encapsulation::None;
  IpAddress source;            ///< Outer.
  std::uint32_t vni = 0;       ///< VXLAN, Geneve.
  std::uint16_t udp_port = 0;  ///< VXLAN, Geneve, WireGuard: the destination's.
};

/// The device that takes it, up or not; null when there is none. One with that `remote` comes
/// before one without (ip_tunnel_lookup, net/ipv4/ip_tunnel.c).
const Device* receiving_device(const NodeState& state, const TunnelKey& key);

/// Whether anything on the node takes packets of that encapsulation and port, whatever their VNI
/// and, over UDP, their source: else their sender hears that the port is unreachable.
bool listens(const NodeState& state, const TunnelKey& key);

/// Whether the node has a WireGuard device.
bool has_wireguard(const NodeState& state);
/// The node among whose allowed IPs of that WireGuard device (Device::allows_nodes) an address is;
/// null when it is no peer's.
const Member* allowed_peer(const NodeState& state, const Device& device, IpAddress address);

/// The index by which peers know this node's session with them. In Linux each draws one for each
/// session at random; here it is one more than the sending node's number, so that it names the
/// peer. 0 is nobody's.
std::uint32_t wireguard_index(const NodeState& state);
/// The peer that a message with this index comes from; null when there is no such session.
const Member* wireguard_peer(const NodeState& state, std::uint32_t index);

/// Longest-prefix match over the three layers; nothing when no route holds `destination`. Routes
/// through a device that is down or not there do not count: a kernel flushes them. (It does not
/// bring them back when the device returns; here that stands for the agent that does.)
std::optional<RouteMatch> lookup(const NodeState& state, IpAddress destination);

/// The main table's route of exactly this prefix.
std::optional<RouteMatch> find_route(const NodeState& state, const IpPrefix& destination);

/// The entry of exactly this prefix in the two derived layers, hidden by `removed` or not.
std::optional<RouteMatch> derived_route(const NodeState& state, const IpPrefix& destination);

/// The whole main table in prefix order.
std::vector<RouteMatch> main_table(const NodeState& state);

/// Everything that decides a packet's fate, one line each: devices and pods' veths as `ip addr`
/// would print them, `ip route`, `ip -6 route`, `ip neigh` and `bridge fdb`, the sets and rules of
/// the packet filter, Services, sysctls.
std::string to_string(const NodeState& state);

/// What a socket on the node's own network (a daemon's, or that of a pod with hostNetwork) gets of
/// its way to a destination when it is connected (ip_route_output_key).
struct SocketRoute {
  IpAddress source;       ///< Unspecified when the node has no address of the destination's family.
  std::uint32_t mtu = 0;  ///< MTU of the path, as far as the node knows; 0 without a route.
};

/// The source is the primary address of the device that the route leaves through, so towards pods
/// of other nodes a tunnel's; where that has none, the node's own. Cilium's tunnel has none: its
/// routes say `src` cilium_host's.
SocketRoute socket_route(const NodeState& state, IpAddress destination);

/// The UDP ports that carry tunnels as far as a node is concerned: the usual ones, and those of its
/// own devices. WireGuard is one only from or to the node itself: what others send through the node
/// is not inspected.
struct TunnelPorts {
  std::vector<std::uint16_t> vxlan;
  std::vector<std::uint16_t> geneve;
  std::vector<std::uint16_t> wireguard;
  std::vector<IpAddress> own;  ///< For WireGuard, the node's addresses; empty: anyone's count.

  /// What a packet to that port is; Encapsulation::None when it is no tunnel's.
  Encapsulation at(std::uint16_t port, IpAddress source, IpAddress destination) const;
  /// Ports of VXLAN and Geneve, each once, in order.
  std::vector<std::uint16_t> all() const;
};

TunnelPorts tunnel_ports(const NodeState& state);

/// What a packet from or to the node itself to that port is.
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port);
/// Encapsulation of any packet that the node sees: tunnel_ports(state).at(…).
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port, IpAddress source,
                        IpAddress destination);

}  // namespace overlane::node

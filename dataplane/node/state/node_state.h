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

// The configuration of one node's kernel, reduced to the part that decides about packets: devices,
// routes, pods, sysctls, packet filter and Services. Parts that all nodes share (ClusterTable,
// PacketFilter, ServiceTable) are shared pointers to constants. Only NodeEditor (world.h) changes a
// state, and raises its Generation. Any number of threads may read a state while no editor changes
// it. The lookups of forwarding are functions here: lookup(), receiving_device(), tunnel_ports(),
// socket_route().

/// A pod on this node. Its /32 route through its veth (in IPv6 /128) is derived from it.
struct LocalPod {
  IpAddress address;
  std::uint32_t mtu = 1500;  ///< MTU of the veth pair in bytes, fixed when the pod was created.
  /// MTU attribute of the routes inside the pod, in bytes, by which Cilium lowers the pod's MTU; 0
  /// if there is none.
  std::uint32_t route_mtu = 0;

  /// Returns the size of the largest packet that the pod sends, in bytes.
  std::uint32_t sending_mtu() const { return route_mtu != 0 ? route_mtu : mtu; }
  auto operator<=>(const LocalPod&) const = default;
};

/// Behaviour that differs between Linux versions.
struct KernelProfile {
  /// The inner DF bit is merged before the tunnel's path MTU check, so that the pod gets an ICMP
  /// error about an outer packet that is too large (since 50c661670f6a: 5.11, stable 5.4).
  bool tunnel_pmtu_honours_inner_df = true;

  auto operator<=>(const KernelProfile&) const = default;
};

/// Sysctls that matter to forwarding.
struct Sysctls {
  std::uint8_t rp_filter_all = 0;  ///< net.ipv4.conf.all.rp_filter: 0 off, 1 strict, 2 loose.
  bool ip_forward = true;
  bool ipv6_forwarding = true;  ///< net.ipv6.conf.all.forwarding.
  /// net.ipv4.icmp_ratelimit and net.ipv6.icmp.ratelimit: 1,000 ms, or 0. In Linux 6.1, 0 also
  /// removes the limit to all destinations together.
  bool icmp_ratelimit = true;
  bool route_error_cost = true;  ///< net.ipv4.route.error_cost: 1,000 ms or 0.
  /// Reassembly timeouts in seconds: net.ipv4.ipfrag_time; net.ipv6.ip6frag_time and
  /// net.netfilter.nf_conntrack_frag6_timeout.
  std::uint8_t ipfrag_time = 30;
  std::uint8_t ip6frag_time = 60;

  Picos reassembly_timeout(Family family) const {
    return seconds(family == Family::Ipv4 ? ipfrag_time : ip6frag_time);
  }

  auto operator<=>(const Sysctls&) const = default;
};

/// The configuration of one node's kernel. A value. Only a NodeEditor changes it; NodeRuntime has
/// everything that the kernel learns.
///
/// The main table has three layers, in order of precedence: `routes` (the node's own routes and
/// changes by actors), the /32 of each local pod (in IPv6 /128), and the routes to the peers' pod
/// CIDRs, expanded from `cluster`. The last two layers are derived. A prefix in `removed` hides
/// their entry.
struct NodeState {
  std::shared_ptr<const ClusterTable> cluster;  ///< Never null.
  MemberIndex self;
  std::vector<Device> devices;  ///< Sorted by name.
  std::vector<LocalPod> pods;   ///< Sorted by address.
  fib::PrefixTable<Route> routes;
  std::vector<IpPrefix> removed;  ///< Sorted.
  /// Prefixes of the table `local`, in addition to the devices' addresses (`ip route add local`). A
  /// packet to one of them is for the node itself, whatever the main table has. Sorted.
  std::vector<IpPrefix> local_routes;
  std::shared_ptr<const PacketFilter> filter;  ///< Null: no rules.
  /// Null: no Services. They are translated only if the filter tracks connections.
  std::shared_ptr<const ServiceTable> services;
  Sysctls sysctls;
  KernelProfile kernel;
  /// Prefix of the names of pods' veths: "cali" (calico/cni), "lxc" (cilium).
  DeviceName pod_device_prefix = "cali";
  Generation generation;

  const Member& member() const { return cluster->members()[self.value]; }
  /// Returns the node's own address of that family, if it has one.
  std::optional<IpAddress> address(Family family) const;
  const Device* find_device(DeviceName name) const;
  /// Returns whether the device exists and is up.
  bool is_up(DeviceName name) const;
  /// Returns the device towards the fabric; null if there is none.
  const Device* uplink() const;
  const LocalPod* find_pod(IpAddress address) const;
  /// Returns the name of a local pod's veth on the node: the prefix and eight digits. The CNI
  /// hashes the workload's name; this model uses the address instead.
  DeviceName pod_device(IpAddress address) const;

  /// Compares the structure: tables and filters by value, without the generations.
  bool operator==(const NodeState& other) const;
};

/// A route of the main table, the result of a lookup.
struct RouteMatch {
  IpPrefix destination;
  Route route;
  const LocalPod* pod = nullptr;  ///< Set if the route is derived from a local pod.
  const Member* peer = nullptr;   ///< Set if the route is derived from the cluster table.
};

/// Returns whether the node itself has this address: on a device, by a local route, or as a
/// Service's address on IPVS's kube-ipvs0.
bool is_local(const NodeState& state, IpAddress address);

/// The fields of an encapsulated packet that select its tunnel device.
struct TunnelKey {
  Encapsulation encapsulation = Encapsulation::None;
  IpAddress source;            ///< Source of the outer header.
  std::uint32_t vni = 0;       ///< VXLAN, Geneve.
  std::uint16_t udp_port = 0;  ///< VXLAN, Geneve, WireGuard: destination port.
};

/// Returns the device that receives the packet, up or not; null if there is none. A device with
/// that `remote` has precedence over one without (ip_tunnel_lookup, net/ipv4/ip_tunnel.c).
const Device* receiving_device(const NodeState& state, const TunnelKey& key);

/// Returns whether any tunnel device of the node receives packets of that encapsulation and port.
/// The VNI does not matter, and over UDP the source does not either. Without such a device the
/// sender gets the ICMP error "port unreachable".
bool listens(const NodeState& state, const TunnelKey& key);

/// Returns whether the node has a WireGuard device.
bool has_wireguard(const NodeState& state);
/// Returns the peer whose allowed IPs on that WireGuard device (Device::allows_nodes) contain the
/// address; null if there is none.
const Member* allowed_peer(const NodeState& state, const Device& device, IpAddress address);

/// Returns the index of this node's sessions, which its peers use. Linux draws an index at random
/// for each session. Here it is the number of the sending node plus 1, so that it identifies the
/// peer. 0 is never used.
std::uint32_t wireguard_index(const NodeState& state);
/// Returns the peer that sent a message with this index; null if there is no such session.
const Member* wireguard_peer(const NodeState& state, std::uint32_t index);

/// Longest-prefix match over the three layers. Returns nothing if no route contains `destination`.
/// Routes through a device that is down or missing are ignored, since a kernel flushes them. A
/// kernel does not restore them when the device returns; the model does, in place of the agent that
/// restores them.
std::optional<RouteMatch> lookup(const NodeState& state, IpAddress destination);

/// Returns the main table's route of exactly this prefix.
std::optional<RouteMatch> find_route(const NodeState& state, const IpPrefix& destination);

/// Returns the entry of exactly this prefix in the two derived layers, even if `removed` hides it.
std::optional<RouteMatch> derived_route(const NodeState& state, const IpPrefix& destination);

/// Returns the whole main table in prefix order.
std::vector<RouteMatch> main_table(const NodeState& state);

/// Returns everything that matters to forwarding, one line each: devices and pods' veths in the
/// format of `ip addr`, then `ip route`, `ip -6 route`, `ip neigh` and `bridge fdb`, the sets and
/// rules of the packet filter, Services and sysctls.
std::string to_string(const NodeState& state);

/// The route of a connected socket in the node's own network: a daemon's socket, or that of a pod
/// with hostNetwork (ip_route_output_key).
struct SocketRoute {
  /// Source address; unspecified if the node has no address of the destination's family.
  IpAddress source;
  /// MTU of the path in bytes as far as the node knows it; 0 without a route.
  std::uint32_t mtu = 0;
};

/// Returns the route of a socket to `destination`. Its source is the primary address of the route's
/// device, so towards pods of other nodes the address of a tunnel device. If the device has no
/// address, it is the node's own. Cilium's tunnel device has none: its routes have `src` with the
/// address of cilium_host.
SocketRoute socket_route(const NodeState& state, IpAddress destination);

/// The UDP ports that a node treats as ports of tunnels: the usual ones, and those of its own
/// devices. WireGuard counts only from or to the node itself; the node does not inspect other
/// WireGuard packets that it forwards.
struct TunnelPorts {
  std::vector<std::uint16_t> vxlan;
  std::vector<std::uint16_t> geneve;
  std::vector<std::uint16_t> wireguard;
  std::vector<IpAddress> own;  ///< The node's addresses, for WireGuard. Empty: all addresses count.

  /// Returns the encapsulation of a packet to that port; Encapsulation::None if the port is no
  /// tunnel's.
  Encapsulation at(std::uint16_t port, IpAddress source, IpAddress destination) const;
  /// Returns the ports of VXLAN and Geneve, sorted, without duplicates.
  std::vector<std::uint16_t> all() const;
};

TunnelPorts tunnel_ports(const NodeState& state);

/// Returns the encapsulation of a packet from or to the node itself to that port.
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port);
/// Returns the encapsulation of any packet that the node sees: tunnel_ports(state).at(…).
Encapsulation tunnel_at(const NodeState& state, std::uint16_t port, IpAddress source,
                        IpAddress destination);

}  // namespace overlane::node

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/effective/addressing.h"
#include "topologies/effective/nodes.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/shoot_spec.h"
#include "topologies/provider/profile.h"
#include "topologies/sources/citation.h"

namespace overlane::effective {

// The result of the derivation, EffectiveDataplane: the dataplane that a shoot gets after all
// defaults of Gardener, the provider and the CNI. Every command starts from it: explain prints it,
// compile turns it into node states, checks compare it. It is a value without references to
// documents, except for lazily built texts, which share their storage.
//
// First come the dataplane of one IP family and what the nodes masquerade. One template declares
// two variants of each: Dataplane and Masquerade have plain values, which rules, compilers and
// outputs read; DecidedDataplane and DecidedMasquerade have each value with its provenance, as a
// CNI decides it. visit_dataplane() and visit_masquerade() list the reported fields. Reasons, JSON,
// run reports and comparisons are made from these lists: a new field needs a member and a line
// here, and its decision in each CNI. A member without the template's Value follows from the other
// members and is not reported.

enum class Mode { Overlay, Routed };
enum class Encapsulation { None, Ipip, Vxlan, Geneve };
enum class Backend { Bird, Vxlan, None, Tunnel, Native };
enum class RoutesBy { CloudRouteTable, CloudInterface, Bgp, Felix, Cilium, DirectNodeRoutes, None };
/// Whether a controller maintains a route for each node's pod CIDR in the cloud's route table.
enum class CloudRoutes {
  Written,     ///< Some providers write routes even for an overlay.
  NotWritten,  ///< Required but missing: pod traffic between nodes is dropped.
  NotNeeded,   ///< Pods reach other nodes without such routes.
};
/// Why routes that pods need are not written (CloudRoutes::NotWritten).
enum class RouteGap {
  None,
  OverlayKey,       ///< The provider writes routes only where overlay.enabled is false.
  RouteController,  ///< The stored configuration of the control plane has the controller off.
  BirdBackend,      ///< The provider leaves routes to BIRD, because the Shoot names backend bird.
  CloudManager,     ///< The chosen cloud controller manager has no route controller.
  PodRange,         ///< The provider writes routes to other pod ranges only.
  PodsInSubnet,     ///< The network refuses routes to the pod range, which lies in its subnet.
  BetweenSubnets,   ///< The nodes' own routes end at their subnet, and nothing writes others.
  NoController,     ///< The provider has no route controller.
};
/// Why pods have addresses outside of their nodes' pod CIDRs, to which no route leads. Compiled
/// states do not reproduce this: their pods have addresses of the pod CIDRs.
enum class AddressGap {
  None,
  LeftOverVxlan,  ///< vxlan.enabled without an overlay selects calico-ipam.
  CalicoIpam,     ///< calico-ipam's blocks lie anywhere in the pod range, not in the pod CIDRs.
  SharedRange,    ///< Every node allocates from one ipam.cidr.
};
enum class ServiceRouting {
  KubeProxyIptables,
  KubeProxyIpvs,
  KubeProxyNftables,
  CalicoEbpf,
  Cilium,
  NetworkExtension,  ///< A service proxy that a NetworkProvider file describes.
};
enum class Encryption { None, WireGuard };

std::string_view to_string(Mode);
std::string_view to_string(Encapsulation);
std::string_view to_string(Backend);
std::string_view to_string(RoutesBy);
std::string_view to_string(CloudRoutes);
std::string_view to_string(ServiceRouting);
std::string_view to_string(Encryption);

/// A value without its provenance.
template <typename T>
using Plain = T;

template <typename T>
constexpr const T& value_of(const T& value) {
  return value;
}
template <typename T>
constexpr const T& value_of(const Decided<T>& decided) {
  return decided.value;
}

/// The dataplane of one IP family (JSON: `dataplane{…}`).
template <template <typename> typename Value>
struct BasicDataplane {
  Value<Mode> mode{Mode::Routed};
  Value<Encapsulation> encapsulation{Encapsulation::None};
  Value<bool> cross_subnet{false};  ///< Encapsulates only between different subnets.
  Value<Backend> backend{Backend::None};
  Value<RoutesBy> routes_by{RoutesBy::None};
  Value<CloudRoutes> cloud_routes{CloudRoutes::NotNeeded};
  RouteGap route_gap = RouteGap::None;
  AddressGap address_gap = AddressGap::None;
  Value<ServiceRouting> service_routing{ServiceRouting::KubeProxyIptables};
  Value<Encryption> encryption{Encryption::None};
  Value<std::uint32_t> link_mtu{1500};  ///< IP MTU of the node's uplink, bytes.
  Value<std::uint32_t> pod_mtu{1500};   ///< Largest IP packet that a pod sends, bytes.
  /// MTU of the pods' veths, bytes, if larger than pod_mtu: Cilium sets the lower MTU only in the
  /// pods' routes. 0: the veths have pod_mtu.
  std::uint32_t pod_device_mtu = 0;
  std::uint32_t tunnel_mtu = 0;            ///< MTU of the tunnel device; 0 without one.
  std::uint32_t wireguard_mtu = 0;         ///< MTU of the WireGuard device; 0 without one.
  Value<std::uint32_t> overhead_bytes{0};  ///< Bytes that the encapsulation adds to an IP packet.

  bool is_encrypted() const { return value_of(encryption) == Encryption::WireGuard; }
  /// Whether each node has a route to every other node's pod CIDR with that node's address as next
  /// hop.
  bool nodes_write_routes() const {
    return value_of(routes_by) == RoutesBy::DirectNodeRoutes ||
           (value_of(routes_by) == RoutesBy::Bgp && value_of(backend) == Backend::Bird);
  }
};

using Dataplane = BasicDataplane<Plain>;
using DecidedDataplane = BasicDataplane<Decided>;

/// Calls `visit(name, member…)` for each reported field, in the order of all outputs. Visits the
/// members of several dataplanes together.
template <typename Visit, typename... Dataplanes>
void visit_dataplane(const Visit& visit, Dataplanes&... d) {
  visit("mode", d.mode...);
  visit("encapsulation", d.encapsulation...);
  visit("cross_subnet", d.cross_subnet...);
  visit("backend", d.backend...);
  visit("routes_by", d.routes_by...);
  visit("cloud_routes", d.cloud_routes...);
  visit("service_routing", d.service_routing...);
  visit("encryption", d.encryption...);
  visit("link_mtu", d.link_mtu...);
  visit("pod_mtu", d.pod_mtu...);
  visit("overhead_bytes", d.overhead_bytes...);
}

/// Which pod traffic is masqueraded with its node's address. IPv6 traffic is masqueraded only if
/// configured.
template <template <typename> typename Value>
struct BasicMasquerade {
  Value<std::vector<IpPrefix>> sources;       ///< Source ranges; empty: nothing is masqueraded.
  Value<std::vector<IpPrefix>> except;        ///< Destinations that are not masqueraded.
  Value<std::vector<IpPrefix>> upstream_dns;  ///< Always masqueraded, also if in `except`.
  /// Whether TCP and UDP get ports of Gardener's natPortRange, 32768 to 65535, only.
  bool limits_ports = false;
  bool random_ports = false;  ///< Random ports; otherwise the pod's own port if it is free.
  bool in_ebpf = false;       ///< An eBPF program of the agent masquerades; otherwise iptables.

  auto operator<=>(const BasicMasquerade&) const = default;
};

using Masquerade = BasicMasquerade<Plain>;
using DecidedMasquerade = BasicMasquerade<Decided>;

/// Visits masquerading as visit_dataplane() does. In outputs the fields belong to the dataplane.
template <typename Visit, typename... Masquerades>
void visit_masquerade(const Visit& visit, Masquerades&... m) {
  visit("masqueraded", m.sources...);
  visit("masquerade_except", m.except...);
  visit("masqueraded_dns", m.upstream_dns...);
}

/// The values without their provenance.
Dataplane values_of(const DecidedDataplane& decided);
Masquerade values_of(const DecidedMasquerade& decided);

/// The JSON object of the reported fields.
nlohmann::ordered_json encode(const Dataplane& dataplane);

/// Adds the reasons of all reported fields, named `prefix`.mode and so on.
void add_reasons(std::vector<Reason>& reasons, std::string_view prefix,
                 const DecidedDataplane& dataplane);
void add_reasons(std::vector<Reason>& reasons, const DecidedMasquerade& masquerade);

using provider::Provider;
/// The agent that configures a node's devices and routes for pods.
enum class NodeAgent { CalicoNode, CiliumAgent };
/// Whether the shoot is about to be created or already runs. The stages differ if the `overlay` key
/// is absent: the provider's admission writes one into a new shoot, but not into a live one.
enum class Stage { Create, Live };

std::string_view to_string(Stage);

/// The network, router or route table in which shoots could see each other's routes.
struct RoutingDomain {
  using Scope = provider::RouteScope;
  enum class Sharing { None, Sure, Possible, Declared };
  std::string key;
  Scope scope = Scope::Vpc;
  Sharing sharing = Sharing::None;
};

/// Route quota of a network's route table, and its source.
struct RouteRoom {
  std::int64_t routes = 0;  ///< 0: unknown.
  sources::Citation source = "not known";
  bool is_set = false;  ///< Set by the landscape's operator.
};

std::string_view to_string(RoutingDomain::Sharing);

/// The effective pod network of one shoot, every field with its reason.
struct EffectiveDataplane {
  std::string kind;        ///< "Shoot" or "Network".
  std::string name;        ///< The shoot's (or Network's) name.
  std::string namespace_;  ///< Its namespace.
  std::string source;      ///< `place` as text: "file:line:column".
  SourceLocation place;    ///< Location of the document, for findings.

  /// A document about the shoot.
  struct Document {
    ObjectName object;
    SourceLocation place;
  };
  std::vector<Document> sources;  ///< All documents used; the one at `place` first.

  /// The row of the network extension's truth table (topologies/cni) that decides: "T1"…"T10" and
  /// "D1"…"D4" for calico, "C1"…"C6" for cilium.
  std::string row;
  /// Why the nodes' configuration cannot be modelled in this row; empty: it can.
  std::string_view not_modelled_because;
  Stage stage = Stage::Create;
  Provider provider{};
  std::string provider_name;  ///< `spec.provider.type`; empty if no document names it.
  std::string cni;            ///< The network type as written.
  NodeAgent agent{};
  bool has_ipv6_tunnel = false;  ///< Whether the agent can tunnel the pods of an IPv6-only shoot.
  /// Overlane does not model the network type: the dataplanes are undefined, all else is valid.
  bool opaque = false;
  std::vector<std::string> ip_families;
  std::vector<IpPrefix> pods;
  std::vector<IpPrefix> services;
  std::vector<IpPrefix> nodes;
  RoutingDomain routing_domain;
  RouteRoom route_room;     ///< Quota of each route table in its network.
  std::optional<bool> ovn;  ///< Landscape::openstack_ovn.
  /// Number of gateway endpoints (AWS); each adds a route to every route table of the shoot.
  std::int64_t gateway_endpoints = 0;
  std::vector<IpAddress> nameservers;  ///< The provider's, which nodes get by DHCP; empty:
                                       ///< not known. IPv4 only.
  Dataplane dataplane;                 ///< The primary (first) IP family's.
  std::optional<Dataplane> secondary_dataplane;  ///< The other family's, in dual-stack.
  Masquerade masquerade;
  /// Prefix length of IPv4 pod CIDRs; of IPv6 ones if the shoot has no IPv4.
  std::uint8_t node_cidr_mask_size = 24;
  /// Prefix length of IPv6 pod CIDRs, unless the cloud allocates them.
  std::uint8_t node_cidr_mask_size_ipv6 = 64;
  /// Largest number of nodes that the ranges and the CloudProfile allow. Nothing: unknown. 0: no
  /// node gets a pod CIDR or an address.
  std::optional<std::int64_t> max_nodes;
  std::uint32_t max_pods = kKubeletMaxPods;  ///< Largest kubelet maxPods of the shoot.
  manifest::MutatingPolicies mutating_policies;
  /// Changes of the Shoot wait for its maintenance time window, or for a reconciliation by hand.
  bool confines_rollout = false;

  /// A worker pool of the shoot (`spec.provider.workers[]`).
  struct WorkerPool {
    std::string name;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    std::vector<std::string> zones;
    std::string machine_type;
    SourceLocation place;
    bool in_place = false;  ///< Updated without replacing its machines (`updateStrategy`).
  };
  std::vector<WorkerPool> workers;
  NodeMachine machine;             ///< The machine type that a run assumes for all nodes.
  std::vector<std::string> zones;  ///< All zones of the workers, in order of first use.
  NodeSubnets node_subnets;
  /// Id or name of the existing VPC, vnet or router (OpenStack); empty: Gardener makes it.
  std::string network_id;
  /// An existing security group of the nodes, whose rules Gardener does not write (AWS); may be
  /// empty.
  std::string nodes_security_group;

  /// Values that admission would change in this live object if it acted on it now.
  struct Unadmitted {
    std::string changes;         ///< "cloud_routes to written, backend to bird".
    bool changes_reach = false;  ///< Whether pods would reach other nodes than they do now.
  };
  /// Present if the object is not as admission stores it: the file may be an edit that was not
  /// applied yet.
  std::optional<Unadmitted> unadmitted;

  /// MTUs that are as plausible as the assumed ones, bytes.
  struct OtherMtu {
    std::uint32_t link = 0;
    std::uint32_t pod = 0;
  };
  std::optional<OtherMtu> other_mtu;

  std::vector<Reason> reasons;
  Findings findings;  ///< Warnings about an admissible shoot; no notes.

  /// Whether all zones share one subnet of the nodes.
  bool has_one_subnet() const {
    return provider::profile_of(provider).node_subnets.is_one(node_subnets.by_zone);
  }
  /// The family of `dataplane`.
  Family primary_family() const {
    return !ip_families.empty() && ip_families.front() == "IPv6" ? Family::Ipv6 : Family::Ipv4;
  }
  /// Sum over all worker pools.
  std::int64_t minimum_nodes() const {
    std::int64_t sum = 0;
    for (const WorkerPool& pool : workers)
      sum += pool.minimum;
    return sum;
  }
  /// The dataplane of a family; null if the network does not have it.
  const Dataplane* dataplane_of(Family family) const {
    if (family == primary_family()) return &dataplane;
    return secondary_dataplane ? &*secondary_dataplane : nullptr;
  }
};

}  // namespace overlane::effective

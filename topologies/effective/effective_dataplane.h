#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/effective/phrase.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

using provider::Provider;
/// The program that makes a node's devices and routes for pods.
enum class NodeAgent { CalicoNode, CiliumAgent };
/// Whether a manifest is about to be created or was read back from a landscape. It matters: an
/// absent `overlay` key means opposite things (facts: provider mutators act on CREATE only).
enum class Stage { Create, Live };
enum class Mode { Overlay, Routed };
enum class Encapsulation { None, Ipip, Vxlan, Geneve };
enum class Backend { Bird, Vxlan, None, Tunnel, Native };
enum class RoutesBy { CloudRouteTable, CloudInterface, Bgp, Felix, Cilium, DirectNodeRoutes, None };
/// Whether a controller keeps a route to each node's pod CIDR in the cloud's route table.
enum class CloudRoutes {
  Written,     ///< Needed or not: some providers write them for an overlay, too.
  NotWritten,  ///< Pods need them: between nodes their packets are dropped.
  NotNeeded,   ///< Pods reach other nodes without them.
};
enum class ServiceRouting {
  KubeProxyIptables,
  KubeProxyIpvs,
  KubeProxyNftables,
  CalicoEbpf,
  Cilium,
  NetworkExtension,  ///< One that is described by a file.
};
enum class Encryption { None, WireGuard };

std::string_view to_string(Stage);
std::string_view to_string(Mode);
std::string_view to_string(Encapsulation);
std::string_view to_string(Backend);
std::string_view to_string(RoutesBy);
std::string_view to_string(CloudRoutes);
std::string_view to_string(ServiceRouting);
std::string_view to_string(Encryption);

/// A minor release of Calico.
struct CalicoVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  /// "3.31"; anything else is nothing.
  static std::optional<CalicoVersion> parse(std::string_view text);
  auto operator<=>(const CalicoVersion&) const = default;
};

std::string to_string(CalicoVersion);

/// gardener-extension-networking-calico charts/images.yaml (v1.60).
inline constexpr CalicoVersion kShippedCalico{3, 31};
/// From here on Felix programs the routes of IPIP pools unless told otherwise, before it BIRD did
/// (projectcalico/calico pull request 13470, design/cluster-route-programming).
inline constexpr CalicoVersion kFelixProgramsIpip{3, 33};

/// Why a field has its value.
struct Reason {
  std::string_view field;  ///< Name as in the JSON: "dataplane.encapsulation"; stands for ever.
  std::string value;       ///< As printed.
  LazyText because;        ///< One sentence.
  Source source;           ///< Of the deciding manifest field the place, or the rule's source.
  bool assumed = false;    ///< True when no given document says so: a named default decided.
};

/// The dataplane of one IP family (DESIGN: `dataplane{…}`).
struct Dataplane {
  Mode mode = Mode::Routed;
  Encapsulation encapsulation = Encapsulation::None;
  bool cross_subnet = false;  ///< Encapsulates only between different subnets.
  Backend backend = Backend::None;
  RoutesBy routes_by = RoutesBy::None;
  CloudRoutes cloud_routes = CloudRoutes::NotNeeded;
  ServiceRouting service_routing = ServiceRouting::KubeProxyIptables;
  Encryption encryption = Encryption::None;
  std::uint32_t link_mtu = 1500;  ///< IP MTU of the node's uplink, bytes.
  std::uint32_t pod_mtu = 1500;   ///< Largest IP packet that a pod sends, bytes.
  /// MTU of the pods' veths where it is more, because only the pods' routes are lowered (Cilium);
  /// 0: pod_mtu.
  std::uint32_t pod_device_mtu = 0;
  std::uint32_t tunnel_mtu = 0;      ///< MTU of the tunnel device; 0 without one.
  std::uint32_t wireguard_mtu = 0;   ///< MTU of the WireGuard device; 0 without one.
  std::uint32_t overhead_bytes = 0;  ///< What the encapsulation adds to an IP packet.

  bool is_encrypted() const { return encryption == Encryption::WireGuard; }
  /// Each node has a route to every other node's pods, by that node's own address.
  bool nodes_write_routes() const {
    return routes_by == RoutesBy::DirectNodeRoutes ||
           (routes_by == RoutesBy::Bgp && backend == Backend::Bird);
  }
};

/// Which of the pods' traffic leaves under its node's address. In IPv6 none, unless a switch says
/// so.
struct Masquerade {
  std::vector<IpPrefix> sources;       ///< From these; empty: nothing is masqueraded.
  std::vector<IpPrefix> except;        ///< But not to these.
  std::vector<IpPrefix> upstream_dns;  ///< To these always, whatever `except` says.
  /// Gardener's natPortRange, 32768 to 65535, for TCP and UDP; else any port.
  bool limits_ports = false;
  bool random_ports = false;  ///< Else the pod's own port where it is free.
  bool in_ebpf = false;       ///< By a program of the agent, else by iptables.

  auto operator<=>(const Masquerade&) const = default;
};

/// Which shoots could see each other's routes.
struct RoutingDomain {
  using Scope = provider::RouteScope;
  enum class Sharing { None, Sure, Possible, Declared };
  std::string key;
  Scope scope = Scope::Vpc;
  Sharing sharing = Sharing::None;
};

/// How many routes a network's list of routes holds, and who says so.
struct RouteRoom {
  std::int64_t routes = 0;  ///< 0: not known.
  std::string_view source = "not known";
  bool is_set = false;  ///< By the landscape's operator.
};

/// A zone's worker subnet, where the infrastructure configuration names one.
struct ZoneSubnet {
  std::string zone;
  Ipv4Prefix workers;
};

std::string_view to_string(RoutingDomain::Sharing);

/// What one shoot's pods really get, every field with its reason.
struct EffectiveDataplane {
  std::string kind;        ///< "Shoot" or "Network".
  std::string name;        ///< The shoot's (or Network's) name.
  std::string namespace_;  ///< Its namespace.
  std::string source;      ///< "file:line:column" of the document.
  SourceLocation place;    ///< The same, for findings.

  /// A document that took part.
  struct Document {
    ObjectName object;
    SourceLocation place;
  };
  std::vector<Document> sources;  ///< That of `source` first.

  /// The row of its network extension's truth table that decided: "T1"…"T10" and "D1"…"D4" of
  /// calico, "C1"…"C6" of cilium.
  std::string row;
  /// Why it is not known what this row makes of the nodes; empty: it is.
  std::string_view unknown_nodes;
  Stage stage = Stage::Create;
  Provider provider{};
  std::string provider_name;  ///< As written; empty when no document names it.
  std::string cni;            ///< The network type as written.
  NodeAgent agent{};
  bool has_ipv6_tunnel = false;  ///< Whether the agent can tunnel the pods of an IPv6-only shoot.
  /// Nobody here knows the network type: the dataplanes say nothing, all else stands.
  bool opaque = false;
  std::vector<std::string> ip_families;
  std::vector<IpPrefix> pods;
  std::vector<IpPrefix> services;
  std::vector<IpPrefix> nodes;
  RoutingDomain routing_domain;
  RouteRoom route_room;                          ///< Of each list of routes in its network.
  std::int64_t gateway_endpoints = 0;            ///< Each puts a route into each of its tables.
  Dataplane dataplane;                           ///< Of the primary IP family, the first.
  std::optional<Dataplane> secondary_dataplane;  ///< Of the other one, in dual-stack.
  Masquerade masquerade;
  std::uint8_t node_cidr_mask_size = 24;  ///< For IPv4, if that is among the families.
  /// For IPv6, where no cloud hands out the nodes' ranges.
  std::uint8_t node_cidr_mask_size_ipv6 = 64;
  /// Nothing: not known. 0: not even one node gets a pod range or an address.
  std::optional<std::int64_t> max_nodes;
  std::uint32_t max_pods = 110;  ///< Largest kubelet maxPods of the shoot.

  /// What a topology needs beyond the dataplane.
  struct WorkerPool {
    std::string name;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    std::vector<std::string> zones;
    std::string machine_type;
    SourceLocation place;
  };
  std::vector<WorkerPool> workers;
  std::vector<std::string> zones;        ///< All zones of the workers, in order of appearance.
  std::vector<ZoneSubnet> zone_subnets;  ///< From infrastructureConfig.networks; may be empty.

  std::vector<Reason> reasons;
  Findings findings;  ///< What is odd about it, though it would be admitted; no notes.

  /// That of `dataplane`.
  Family primary_family() const {
    return !ip_families.empty() && ip_families.front() == "IPv6" ? Family::Ipv6 : Family::Ipv4;
  }
  /// Null when the network does not have that family.
  const Dataplane* dataplane_of(Family family) const {
    if (family == primary_family()) return &dataplane;
    return secondary_dataplane ? &*secondary_dataplane : nullptr;
  }
};

}  // namespace overlane::effective

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/net/prefix.h"
#include "topologies/effective/provenance.h"

namespace overlane::effective {

// The dataplane of one IP family of a shoot, and what its nodes masquerade. Both structs exist
// twice by one declaration: Dataplane and Masquerade have plain values, which rules, compilers and
// outputs read; DecidedDataplane and DecidedMasquerade, which a CNI decides, have the provenance of
// each value with it. visit_dataplane() and visit_masquerade() are the lists of the reported
// fields: reasons, JSON of explanations and migrations, run reports and comparisons are made from
// them, so that a new field is a member and a line here, and its decision in each CNI. A member
// without the template's Value follows from the others and is not reported.

enum class Mode { Overlay, Routed };
enum class Encapsulation { None, Ipip, Vxlan, Geneve };
enum class Backend { Bird, Vxlan, None, Tunnel, Native };
enum class RoutesBy { CloudRouteTable, CloudInterface, Bgp, Felix, Cilium, DirectNodeRoutes, None };
/// Whether a controller maintains a route for each node's pod CIDR in the cloud's route table.
enum class CloudRoutes {
  Written,     ///< Some providers write them also for an overlay.
  NotWritten,  ///< Required but missing: pod traffic between nodes is dropped.
  NotNeeded,   ///< Pods reach other nodes without them.
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
  NoController,     ///< The provider has none.
};
/// Why pods have addresses outside of their nodes' pod CIDRs, to which no route leads. Compiled
/// states do not show it: their pods have addresses of the pod CIDRs.
enum class AddressGap {
  None,
  LeftOverVxlan,  ///< vxlan.enabled without an overlay selects calico-ipam.
  CalicoIpam,     ///< Its blocks lie anywhere in the pod range, routes follow the pod CIDRs.
  SharedRange,    ///< Every node allocates from one ipam.cidr.
};
enum class ServiceRouting {
  KubeProxyIptables,
  KubeProxyIpvs,
  KubeProxyNftables,
  CalicoEbpf,
  Cilium,
  NetworkExtension,  ///< One that a NetworkProvider file describes.
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
  /// MTU of the pods' veths if larger, since only the routes of the pods have the lower MTU
  /// (Cilium); 0: pod_mtu.
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

/// Which pod traffic is masqueraded with its node's address. None in IPv6, unless configured.
template <template <typename> typename Value>
struct BasicMasquerade {
  Value<std::vector<IpPrefix>> sources;       ///< Source ranges; empty: nothing is masqueraded.
  Value<std::vector<IpPrefix>> except;        ///< Destinations that are not masqueraded.
  Value<std::vector<IpPrefix>> upstream_dns;  ///< Always masqueraded, also if in `except`.
  /// Gardener's natPortRange, 32768 to 65535, for TCP and UDP; else any port.
  bool limits_ports = false;
  bool random_ports = false;  ///< Otherwise the pod's own port if free.
  bool in_ebpf = false;       ///< By a program of the agent, otherwise by iptables.

  auto operator<=>(const BasicMasquerade&) const = default;
};

using Masquerade = BasicMasquerade<Plain>;
using DecidedMasquerade = BasicMasquerade<Decided>;

/// Like visit_dataplane(). In outputs the fields belong to the dataplane.
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

}  // namespace overlane::effective

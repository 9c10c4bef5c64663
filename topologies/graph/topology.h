#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/prefix.h"
#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::graph {

// A shoot's machines in their VPC: route tables, subnets, nodes and pods with their addresses,
// as Gardener and Kubernetes' IPAM allocate them. topologies/compile turns a Topology into node
// states. Except for foreign routes, a Topology has no routes, and it has no devices. It is
// immutable once built; a copy is deep, and any thread may read it.

inline constexpr std::array kFamilies = {Family::Ipv4, Family::Ipv6};

/// An optional value per IP family.
template <typename T>
struct ByFamily {
  std::optional<T> ipv4;
  std::optional<T> ipv6;

  std::optional<T>& operator[](Family family) { return family == Family::Ipv4 ? ipv4 : ipv6; }
  /// The value of the family; null if it has none.
  const T* in(Family family) const {
    const auto& value = family == Family::Ipv4 ? ipv4 : ipv6;
    return value ? &*value : nullptr;
  }

  auto operator<=>(const ByFamily&) const = default;
};

/// A route in the VPC's tables that leads to none of the shoot's nodes.
struct ForeignRoute {
  IpPrefix destination;
  bool is_blackhole = false;  ///< Otherwise the route leads to an instance of another owner.
};

struct Vpc {
  std::string name;
  effective::Provider provider{};
  std::uint32_t mtu = 1500;       ///< IP MTU, bytes.
  ByFamily<IpPrefix> cidr;        ///< The VPC's local route.
  std::uint32_t route_quota = 0;  ///< Per route table; 0: unknown.
  std::string route_quota_source;
  std::vector<ForeignRoute> foreign_routes;  ///< In every table of the shoot's subnets.
};

/// A route table; AWS has one per zone, other providers one per shoot.
struct RouteTable {
  std::string name;
};

struct Subnet {
  std::string name;
  std::string zone;  ///< Empty: the subnet spans all zones.
  ByFamily<IpPrefix> cidr;
  std::uint32_t route_table = 0;  ///< Index into Topology::route_tables().
};

/// The machine of every node.
struct Machine {
  std::uint32_t cores = 4;
  BitsPerSecond nic{10'000'000'000};
};

/// A node's addresses in one IP family.
struct NodeAddresses {
  IpAddress address;
  IpPrefix pod_cidr;  ///< node.spec.podCIDRs
  /// The range that the cloud allocates to the node's interface instead of routing the pod CIDR. It
  /// contains the pod CIDR.
  std::optional<IpPrefix> interface_prefix;
};

struct Node {
  std::string name;
  std::uint32_t subnet = 0;           ///< Index into Topology::subnets().
  std::uint32_t zone = 0;             ///< Index into Topology::zones().
  ByFamily<NodeAddresses> addresses;  ///< At least one.
};

struct Pod {
  std::uint32_t node = 0;       ///< Index into Topology::nodes().
  ByFamily<IpAddress> address;  ///< One for each family of its node.
};

/// Number of earlier allocations of each kind. The nodes and pods of the topology get the following
/// CIDRs and addresses, and after the last one the first ones again.
struct Allocated {
  std::uint64_t pod_cidrs =
      0;  ///< From the pod range, unless the cloud allocates pod CIDRs to interfaces.
  std::uint32_t machines = 0;  ///< Addresses in each subnet.
  std::uint32_t pods = 0;      ///< Addresses in each pod CIDR.
};

/// Inputs of Topology::build.
struct TopologyRequest {
  const effective::EffectiveDataplane* shoot = nullptr;  ///< Required.
  std::uint32_t nodes = 2;                               ///< At least 1.
  std::uint32_t pods_per_node = 1;                       ///< At least 1.
  Machine machine;
  std::uint32_t route_quota = 0;  ///< Per route table; 0: the shoot's (EffectiveDataplane).
  std::vector<ForeignRoute> foreign_routes;
  Allocated allocated;
  std::string name_prefix;  ///< Prefix of the names of route tables, subnets and nodes.
};

/// The graph (Boost.Graph) of one VPC with its subnets and route tables, and of one shoot's nodes
/// and pods. Vertices of a kind are numbered from 0 in order of creation.
class Topology {
 public:
  /// Builds the topology as Gardener does: the provider's subnets, nodes assigned to zones in turn,
  /// pod CIDRs allocated in order (RangeAllocator of the Kubernetes node IPAM controller), or in
  /// the order of the nodes' addresses if the cloud allocates them to the nodes' interfaces. Fails
  /// with `impossible-topology` if a range is unknown or if the pod range, the subnets or a pod
  /// CIDR are too small.
  static Result<Topology> build(const TopologyRequest& request);

  Topology(const Topology& other);
  Topology(Topology&& other) noexcept;
  Topology& operator=(Topology other) noexcept;
  ~Topology();

  const Vpc& vpc() const;
  const std::vector<std::string>& zones() const;  ///< Names, at least one.
  const std::vector<RouteTable>& route_tables() const;
  const std::vector<Subnet>& subnets() const;
  const std::vector<Node>& nodes() const;
  const std::vector<Pod>& pods() const;
  const Machine& machine() const;

  /// The pods of one node, as a range of indices into pods().
  struct PodRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  PodRange pods_of(std::uint32_t node) const;

  /// The graph in Graphviz's dot language, with at most `most_pods` pods per node; the label of a
  /// node states how many pods it has in all.
  std::string to_graphviz(std::uint32_t most_pods = 4) const;

 private:
  class Graph;
  explicit Topology(std::unique_ptr<Graph> graph);
  std::unique_ptr<Graph> graph_;
};

/// Length of IPv6 subnets on all providers.
inline constexpr std::uint8_t kIpv6SubnetLength = 64;
/// Offset of the first pod in a pod CIDR: host-local IPAM gives offset 1 to tunl0 (Calico's
/// allocate-tunnel-addrs with USE_POD_CIDR), and routed mode uses the same offset, so that a pod
/// has the same address in every variant.
inline constexpr std::uint32_t kFirstPodOffset = 2;

}  // namespace overlane::graph

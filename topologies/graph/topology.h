#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "dataplane/net/units.h"
#include "results/finding/result.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/graph/by_family.h"

namespace overlane::graph {

struct Vpc {
  std::string name;
  effective::Provider provider{};
  std::uint32_t mtu = 1500;       ///< IP MTU, bytes.
  ByFamily<IpPrefix> cidr;        ///< What the VPC's local route covers.
  std::uint32_t route_quota = 0;  ///< Most routes per table; 0 when not known.
  std::string route_quota_source;
};

/// A route table; AWS has one for each zone, the other providers one for the shoot.
struct RouteTable {
  std::string name;
};

struct Subnet {
  std::string name;
  std::string zone;
  ByFamily<IpPrefix> cidr;
  std::uint32_t route_table = 0;
};

/// What a node's machine can do.
struct Machine {
  std::uint32_t cores = 4;
  BitsPerSecond nic{10'000'000'000};
};

/// What a node has in one IP family.
struct NodeAddresses {
  IpAddress address;
  IpPrefix pod_cidr;  ///< node.spec.podCIDRs
  /// What the cloud hands to the node's interface instead of routing the pod CIDR: that is in it.
  std::optional<IpPrefix> interface_prefix;
};

struct Node {
  std::string name;
  std::uint32_t subnet = 0;
  ByFamily<NodeAddresses> addresses;  ///< At least one.
};

struct Pod {
  std::uint32_t node = 0;
  ByFamily<IpAddress> address;  ///< As its node's.
};

/// How many of each were handed out before. A shoot's nodes and pods get the next ones and, after
/// the last, the first ones again.
struct HandedOut {
  std::uint64_t pod_cidrs = 0;  ///< Of the pod range, where no cloud hands them to interfaces.
  std::uint32_t machines = 0;   ///< Addresses in each subnet.
  std::uint32_t pods = 0;       ///< Addresses in each pod CIDR.
};

/// What a topology is built from.
struct TopologyRequest {
  const effective::EffectiveDataplane* shoot = nullptr;  ///< Required.
  std::uint32_t nodes = 2;                               ///< At least 1.
  std::uint32_t pods_per_node = 1;                       ///< At least 1.
  Machine machine;
  std::uint32_t route_quota = 0;  ///< 0: the shoot's route_room.
  HandedOut handed_out;
  std::string name_prefix;  ///< In front of the names of route tables, subnets and nodes.
};

/// What exists: one VPC with its subnets and route tables, and one shoot's nodes and pods in it, as
/// a graph (Boost.Graph). Vertices of a kind are numbered from 0 in order of creation.
class Topology {
 public:
  /// Lays the shoot out as Gardener does: a subnet per zone, nodes dealt to the zones in turn, pod
  /// pod CIDRs handed out in order (RangeAllocator of the Kubernetes node IPAM controller) or,
  /// where the cloud hands them to the nodes' interfaces, in the order of the nodes' addresses.
  /// Refused with `impossible-topology` when a range is not known, or when the pod range, the
  /// subnets or a pod CIDR cannot hold what is asked.
  static Result<Topology> build(const TopologyRequest& request);

  Topology(const Topology& other);
  Topology(Topology&& other) noexcept;
  Topology& operator=(Topology other) noexcept;
  ~Topology();

  const Vpc& vpc() const;
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

  /// The graph in Graphviz's dot language, pods folded into their nodes beyond `most_pods` a node.
  std::string to_graphviz(std::uint32_t most_pods = 4) const;

 private:
  class Graph;
  explicit Topology(std::unique_ptr<Graph> graph);
  std::unique_ptr<Graph> graph_;
};

/// Offset of the first address that a machine gets in a subnet: AWS and Azure keep the first four
/// (network, router, two for DNS); the same is taken everywhere.
inline constexpr std::uint32_t kFirstMachineOffset = 4;
/// IPv6 subnets on every provider.
inline constexpr std::uint8_t kIpv6SubnetLength = 64;
/// Offset of the first pod in a pod CIDR: host-local IPAM gives offset 1 to tunl0 (Calico's
/// allocate-tunnel-addrs with USE_POD_CIDR), and the same is kept in routed mode so that a pod has
/// one address in every variant.
inline constexpr std::uint32_t kFirstPodOffset = 2;

}  // namespace overlane::graph

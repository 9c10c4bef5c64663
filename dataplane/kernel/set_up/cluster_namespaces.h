#pragma once

#include <compare>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// A cluster on this kernel: one namespace per node (set_up.h), one for the VPC between the nodes
// (fabric_set_up), and one per node, its "world", that holds the far ends of the pods' veths.

/// The connection of a node to the fabric.
struct FabricPort {
  std::string
      uplink;  ///< The node's device. It is a veth whose far end becomes `device` in the fabric.
  std::string device;
  std::vector<Command> node_commands;  ///< Commands in the node that set its own link-layer address
                                       ///< and those of its neighbours.

  auto operator<=>(const FabricPort&) const = default;
};

/// The commands that turn an empty network namespace into the VPC of a FabricState.
struct FabricSetUp {
  std::vector<Command> sysctls;   ///< Before the far ends of the uplinks are moved in.
  std::vector<Command> commands;  ///< After the far ends of the uplinks are moved in.
  std::vector<FabricPort> ports;  ///< One per node, in order.

  bool operator==(const FabricSetUp&) const = default;
};

/// The commands for a fabric between `nodes`, which are the fabric's instances in order.
///
/// If the fabric honours the next hop, each subnet is a bridge, and a router between the subnets
/// has the route tables. If only the destination decides, there is only the router, and each node
/// has its own link to it. Router and bridges forward like a Linux kernel; in particular the router
/// decrements the TTL, which a VPC does not. Fails for a fabric that the kernel cannot represent:
/// several route tables with IPv6.
Parsed<FabricSetUp> fabric_set_up(const node::FabricState& fabric, std::span<const SetUp> nodes);

/// The names of the fabric's features that only the model has ("security groups").
std::vector<std::string> left_to_the_model(const node::FabricState& fabric);
node::FabricState without_what_is_left(node::FabricState fabric);

/// The nodes of a cluster as namespaces of this kernel, and the fabric between them. Requires root.
/// Each node has its own world namespace with the far ends of its pods' veths; the uplinks are
/// connected.
class ClusterNamespaces {
 public:
  /// Prepares the empty namespace of a node before its commands run.
  using Prepare = std::function<Result<void, std::string>(const NetworkNamespace& node)>;

  /// Makes a cluster with a kernel as the fabric.
  static Parsed<ClusterNamespaces> make(std::span<const SetUp> nodes, const FabricSetUp& fabric,
                                        const Prepare& prepare = {});
  /// Makes two nodes whose uplinks are the two ends of one veth pair, like a cable between their
  /// NICs. Each node finds the other one behind every next hop.
  static Parsed<ClusterNamespaces> join(const node::NodeState& first,
                                        const node::NodeState& second);

  std::size_t size() const { return nodes_.size(); }
  const NetworkNamespace& node(std::size_t i) const { return nodes_[i]; }
  const NetworkNamespace& world(std::size_t i) const { return worlds_[i]; }
  /// Namespace of the fabric; empty after join().
  const NetworkNamespace& fabric() const { return fabric_; }

 private:
  explicit ClusterNamespaces(NetworkNamespace fabric) : fabric_(std::move(fabric)) {}

  Result<void, std::string> add_node(const SetUp& set_up, const Prepare& prepare = {});

  NetworkNamespace fabric_;
  std::vector<NetworkNamespace> nodes_;
  std::vector<NetworkNamespace> worlds_;
};

/// Makes a client outside of the VPC, of which the namespace of the fabric is the router. Its
/// address must be in no range of the fabric.
Parsed<NetworkNamespace> make_outside_client(const node::FabricState& fabric,
                                             const NetworkNamespace& router,
                                             const Ipv4Address& address);

/// A pod and its veth. Both ends have the same name until the pod's end is moved.
struct PodVeth {
  IpAddress address;
  std::string device;  ///< Name of the node's end, and of the far end in the world namespace.
  std::uint32_t mtu = 1500;
  MacAddress pod_mac;
  MacAddress node_mac;  ///< MAC address of the node's end.
};

/// Makes a pod in its own namespace. Moves the far end of the pod's veth there from `world`, and
/// sets the pod's address and the default route to its node, as Calico does (169.254.1.1, or
/// fe80::1).
Parsed<NetworkNamespace> make_pod(const PodVeth& veth, const NetworkNamespace& world);
/// Makes the namespace of one of a state's pods.
Parsed<NetworkNamespace> make_pod(const node::NodeState& state, const SetUp& set_up,
                                  const NetworkNamespace& world, const IpAddress& pod);

}  // namespace overlane::kernel

#pragma once

#include <compare>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// A cluster on this kernel: one namespace per node (set_up.h), one for the VPC between them
// (fabric_set_up), and a world for each node's pods.

/// How a node hangs on the fabric.
struct FabricPort {
  std::string uplink;  ///< The node's device; the veth's far end becomes `device` in the fabric.
  std::string device;
  std::vector<Command> node_commands;  ///< In the node: its link address, and its neighbours'.

  auto operator<=>(const FabricPort&) const = default;
};

/// What turns an empty network namespace into the VPC of a FabricState.
struct FabricSetUp {
  std::vector<Command> sysctls;   ///< Before the uplinks' far ends come.
  std::vector<Command> commands;  ///< Behind them.
  std::vector<FabricPort> ports;  ///< One for each node, in order.

  bool operator==(const FabricSetUp&) const = default;
};

/// The commands for a fabric between `nodes`, which are its instances in order.
///
/// Where the fabric honours the next hop each subnet is a bridge, and a router between them has
/// the route tables. Where the destination alone decides there is the router alone, and each node
/// has a link of its own to it. Both forward what a Linux kernel forwards: a router takes one off
/// the TTL, which a VPC does not. Fails for what cannot be made: several route tables with IPv6.
Parsed<FabricSetUp> fabric_set_up(const node::FabricState& fabric, std::span<const SetUp> nodes);

/// What such a fabric leaves to the model, by name ("security groups"), and a fabric without it.
std::vector<std::string> left_to_the_model(const node::FabricState& fabric);
node::FabricState without_what_is_left(node::FabricState fabric);

/// The nodes of a cluster as namespaces of this kernel, and what is between them. Needs root. Each
/// node has a world of its own, with the far ends of its pods' veths; the uplinks are connected.
class ClusterNamespaces {
 public:
  /// With a kernel as the fabric.
  static Parsed<ClusterNamespaces> make(std::span<const SetUp> nodes, const FabricSetUp& fabric);
  /// Two nodes whose uplinks are the two ends of one veth pair, as a wire between their NICs: each
  /// finds the other behind every next hop.
  static Parsed<ClusterNamespaces> join(const node::NodeState& first,
                                        const node::NodeState& second);

  std::size_t size() const { return nodes_.size(); }
  const NetworkNamespace& node(std::size_t i) const { return nodes_[i]; }
  const NetworkNamespace& world(std::size_t i) const { return worlds_[i]; }
  /// The fabric's; of a joined pair an empty one.
  const NetworkNamespace& fabric() const { return fabric_; }

 private:
  explicit ClusterNamespaces(NetworkNamespace fabric) : fabric_(std::move(fabric)) {}

  Result<void, std::string> add_node(const SetUp& set_up);

  NetworkNamespace fabric_;
  std::vector<NetworkNamespace> nodes_;
  std::vector<NetworkNamespace> worlds_;
};

/// A pod and its veth, whose two ends have the same name until the pod's is moved.
struct PodVeth {
  IpAddress address;
  std::string device;  ///< Name of the node's end, and of the far end in the world.
  std::uint32_t mtu = 1500;
  MacAddress pod_mac;
  MacAddress node_mac;  ///< MAC address of the node's end.
};

/// A pod in a namespace of its own, which takes the far end of the pod's veth out of `world`: its
/// address, and a default route to its node as Calico gives it (169.254.1.1, or fe80::1).
Parsed<NetworkNamespace> make_pod(const PodVeth& veth, const NetworkNamespace& world);
/// Makes the namespace of one of a state's pods.
Parsed<NetworkNamespace> make_pod(const node::NodeState& state, const SetUp& set_up,
                                  const NetworkNamespace& world, const IpAddress& pod);

}  // namespace overlane::kernel

#pragma once

#include <span>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/fabric_set_up.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

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

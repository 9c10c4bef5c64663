#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scenarios/migration/actors/agent_pod.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/transition.h"

namespace overlane::migration {

/// What the processes of calico-node change on a node in the course of a switch. A new pod with
/// BIRD is ready only with a BGP session (gardener-extension-networking-calico pull request 215).
class CalicoNode : public AgentPod {
 public:
  /// Keeps references.
  CalicoNode(const Transition& transition, bool protects_conditions, ClusterObjects& objects);

  /// With BIRD, a pod that ends sets the node's condition NetworkUnavailable, and a new one with
  /// BIRD unsets it. One without BIRD does neither (calico node/pkg/lifecycle/shutdown,
  /// provider-aws pull request 1703).
  std::string end(std::uint32_t node, Picos now) override;
  /// The init container cleanup-routes, which only a pod without overlay has, deletes what BIRD has
  /// written, black holes among them.
  std::string initialize(node::WorldEditor& world, std::uint32_t node) override;
  /// Felix: the tunnel's device, and the packet filter. A device that it no longer needs stays
  /// (FELIX_IPINIPENABLED is set explicitly). BIRD: the black hole of the node's own pod CIDR, and
  /// no route to a peer yet.
  std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  bool is_ready(std::uint32_t node) const override;

  /// Felix, before the node's pod is replaced, masquerades as the new IPPools say.
  void follow_pools(node::WorldEditor& world, std::uint32_t node) const {
    world.node(node).set_filter(objects_.old_agents[node] ? with_new_pools_
                                                          : transition_.to.nodes[node].filter);
  }
  bool pools_change_masquerading() const;
  /// Whether the target masquerades queries to upstream DNS, and by what.
  bool adds_nameserver_rules() const { return without_nameservers_ != nullptr; }
  void add_nameserver_rules(node::WorldEditor& world, std::uint32_t node) const {
    world.node(node).set_filter(transition_.to.nodes[node].filter);
  }

  /// Whether BIRD runs before the first pod is replaced.
  bool has_bird(std::uint32_t node) const {
    return objects_.old_agents[node] ? transition_.has_bird_before()
                                     : transition_.has_bird_afterwards();
  }
  /// BIRD of an old pod, after confd has rewritten its export filter. To routed pods, its routes
  /// lose their tunnel. To IPIP, it deletes them and cannot write those by tunl0, which an old
  /// Felix has not made (BIRD 1.6 sysdep/linux/netlink.c replaces a route by deleting and adding
  /// it): the cloud decides; nor those of a VXLAN pool, which are Felix's. BIRD of a kept pod
  /// writes what the target asks for. Returns what it did.
  std::string rewrite_routes(node::WorldEditor& world, std::uint32_t node) const;
  /// BIRD of an old pod no longer has the routes of a peer.
  void withdraw(node::WorldEditor& world, std::uint32_t node, std::uint32_t peer) const {
    world.node(node).remove_route(pod_cidr(peer));
  }
  /// Two nodes have a BGP session: each gets the route to the other's pods.
  void connect(node::WorldEditor& world, std::uint32_t a, std::uint32_t b) const;
  /// The node has BGP sessions with all others: it gets the routes to their pods.
  void connect_to_all(node::WorldEditor& world, std::uint32_t node) const {
    world.node(node).set_cluster(transition_.to.nodes[node].cluster);
    announce_pods(world, node);
  }

 private:
  const IpPrefix& pod_cidr(std::uint32_t node) const {
    return transition_.to.nodes[node].member().ipv4->pod_cidr;
  }

  /// Felix of a new pod knows calico-ipam's blocks only: it has no routes to pods that were there
  /// before. Those of a BIRD that ended before it deleted them stay, since cleanup-routes runs
  /// without overlay only.
  void start_vxlan(node::WorldEditor& world, std::uint32_t node) const;
  /// Sorted.
  std::vector<IpPrefix> pod_cidrs_of_peers(std::uint32_t node) const;

  const Transition& transition_;
  bool protects_conditions_;
  ClusterObjects& objects_;
  std::vector<std::uint32_t> with_blocks_;  ///< Nodes whose pods calico-ipam knows.
  std::shared_ptr<const node::ClusterTable> without_tunnel_;
  std::shared_ptr<const node::ClusterTable> without_routes_;
  // Of all nodes alike.
  std::shared_ptr<const node::PacketFilter> with_new_pools_;  ///< The old one.
  /// The new one; null where that has no rules for nameservers.
  std::shared_ptr<const node::PacketFilter> without_nameservers_;
};

}  // namespace overlane::migration

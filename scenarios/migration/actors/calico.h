#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scenarios/migration/actors/agent_rollout.h"
#include "scenarios/migration/actors/cluster_objects.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::migration {

// calico-node in the course of a switch of the pod network. CalicoNode says what Felix, BIRD and
// the init containers of one pod change on their node; the actors below say when. AgentRollout
// calls CalicoNode for each pod that the DaemonSet replaces. The actors of BIRD are BirdExport
// (confd rewrites the export filter), BgpSessions (new pods connect) and RouteWithdrawals (graceful
// restart, RFC 4724); Masquerading is Felix and the IPPools. All actors of one run share its
// ClusterObjects and run in that run's thread. Random times are drawn from the seed, so that a run
// can be repeated.

/// What the processes of calico-node change on a node in the course of a switch. A new pod with
/// BIRD is ready only with a BGP session (gardener-extension-networking-calico pull request 215).
class CalicoNode : public AgentPod {
 public:
  /// All arguments that are references must outlive this object.
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
  // All nodes share these filters.
  std::shared_ptr<const node::PacketFilter>
      with_new_pools_;  ///< The old filter under the new IPPools.
  /// The new filter without its rules for nameservers; null if it has none.
  std::shared_ptr<const node::PacketFilter> without_nameservers_;
};

/// BIRD of the old calico-node pods: confd sees the changed IPPool on every node within seconds,
/// whatever the DaemonSet's roll-out has got to, and BIRD writes the pod routes again: without the
/// tunnel when the overlay is switched off, and with it when it is switched on. They stay when BIRD
/// ends ("persist" in bird.cfg.template). BIRD of pods that the target keeps writes what it asks
/// for.
class BirdExport : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  BirdExport(const Timing& timing, std::uint64_t seed, const CalicoNode& calico,
             ClusterObjects& objects)
      : timing_(timing), seed_(seed), calico_(calico), objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  const Timing& timing_;
  std::uint64_t seed_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  bool has_begun_ = false;
  std::vector<std::pair<Picos, std::uint32_t>> reloads_;  ///< By time, the next one last.
};

/// The full mesh of BGP sessions of new calico-node pods. When the overlay is switched on, BIRD
/// finds those peers whose new pods run, and only then do the two have routes to each other's pods.
/// Where BIRD runs before and after the switch, a new one finds all peers.
class BgpSessions : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  BgpSessions(const Timing& timing, std::uint64_t seed, bool old_birds_run,
              const CalicoNode& calico, ClusterObjects& objects)
      : timing_(timing),
        seed_(seed),
        old_birds_run_(old_birds_run),
        calico_(calico),
        objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  void connect(node::WorldEditor& world, std::uint32_t node);
  Picos connects_at(const ClusterObjects::Event& start) const;

  const Timing& timing_;
  std::uint64_t seed_;
  bool old_birds_run_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  std::size_t seen_ = 0;  ///< Handled entries of ClusterObjects::agents_started.
  std::set<std::pair<Picos, std::uint32_t>> connecting_;
  bool has_begun_ = false;
  std::vector<std::uint32_t> connected_;
};

/// BIRD of old pods keeps the routes that it has from a peer whose BIRD was killed for the graceful
/// restart time, and deletes them then (RFC 4724; tools/check-bird-routes).
class RouteWithdrawals : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  RouteWithdrawals(const Timing& timing, const CalicoNode& calico, ClusterObjects& objects)
      : timing_(timing), calico_(calico), objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  const Timing& timing_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  std::size_t seen_ = 0;  ///< Handled entries of ClusterObjects::birds_ended.
};

/// Which packets of pods are masqueraded in the course of the switch. Felix of old pods follows the
/// IPPools at once: without overlay there is one for the nodes' range, so that pods reach nodes,
/// and a nameserver in that range, under their own addresses (networking-calico pull request 229).
/// In new pods a sidecar adds the rules for the nameservers of resolv.conf when it has slept for 15
/// s (networking-calico pull request 324).
class Masquerading : public run::Actor {
 public:
  /// All arguments that are references must outlive this object.
  Masquerading(const Timing& timing, const CalicoNode& calico, ClusterObjects& objects)
      : timing_(timing), calico_(calico), objects_(objects) {}

  std::optional<Picos> next() const override;
  void act(node::WorldEditor& world, Picos now) override;

 private:
  std::optional<Picos> pools_at() const;
  std::optional<Picos> rules_at() const;

  const Timing& timing_;
  const CalicoNode& calico_;
  ClusterObjects& objects_;
  bool follows_pools_ = false;  ///< Felix of old pods has applied the new ones.
  std::size_t seen_ = 0;        ///< Handled entries of ClusterObjects::agents_started.
};

// Blocks that calico-ipam allocates after a switch from host-local IPAM. calico-ipam does not know
// the nodes' pod CIDRs: each node claims blocks (/26) of the whole pod range, beginning at an index
// that depends on its host name (libcalico-go, lib/ipam/ipam_block_reader_writer.go,
// randomBlockGenerator). Felix then has a route to each block by the tunnel, on every node. Where a
// block lies in the pod CIDR of another node, packets for pods there that host-local gave their
// addresses go to the node of the block, until those pods are made again.

/// How many blocks a node claims at most: one holds 64 addresses.
std::uint32_t blocks_per_node(const Transition& transition);

/// How many of the nodes that are there in the beginning have a pod CIDR in which another node, or
/// the node itself, claims a block; drawn by the seed. 0 where IPAM does not change.
std::uint32_t nodes_with_foreign_blocks(const Transition& transition, std::uint64_t seed);

/// The probability that there is such a node, from 0 to 1.
double probability_of_foreign_blocks(const Transition& transition);

}  // namespace overlane::migration

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

// calico-node during a switch of the pod network. CalicoNode makes the changes of Felix, BIRD and
// the init containers of one pod on their node; the actors below decide when. AgentRollout calls
// CalicoNode for each pod that the DaemonSet replaces. The actors of BIRD are BirdExport (confd
// rewrites the export filter), BgpSessions (new pods connect) and RouteWithdrawals (graceful
// restart, RFC 4724); Masquerading is Felix and the IPPools. All actors of one run share its
// ClusterObjects and run in that run's thread. Random times are drawn from the seed, so that a run
// can be repeated.

/// The changes that the processes of calico-node make on a node during a switch. A new pod with
/// BIRD is ready only with a BGP session (gardener-extension-networking-calico pull request 215).
class CalicoNode : public AgentPod {
 public:
  /// All arguments that are references must outlive this object.
  CalicoNode(const Transition& transition, bool protects_conditions, ClusterObjects& objects);

  /// A pod with BIRD sets the node's condition NetworkUnavailable to True when it ends, and a new
  /// pod with BIRD sets it to False. A pod without BIRD does neither (calico
  /// node/pkg/lifecycle/shutdown, provider-aws pull request 1703).
  std::string end(std::uint32_t node, Picos now) override;
  /// Runs the init container cleanup-routes, which only a pod without overlay has. It deletes all
  /// routes that BIRD has written, including blackhole routes.
  std::string initialize(node::WorldEditor& world, std::uint32_t node) override;
  /// Felix creates the tunnel device and writes the packet filter. A device that Felix no longer
  /// needs stays (FELIX_IPINIPENABLED is set explicitly). BIRD writes the blackhole route of the
  /// node's own pod CIDR, and no route to a peer yet.
  std::string start(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  std::string start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) override;
  bool is_ready(std::uint32_t node) const override;

  /// Sets the masquerading of the node to that of the new IPPools, as Felix does before the node's
  /// pod is replaced.
  void follow_pools(node::WorldEditor& world, std::uint32_t node) const {
    world.node(node).set_filter(objects_.old_agents[node] ? with_new_pools_
                                                          : transition_.to.nodes[node].filter);
  }
  bool pools_change_masquerading() const;
  /// Whether the target masquerades queries to upstream DNS by rules for nameservers.
  bool adds_nameserver_rules() const { return without_nameservers_ != nullptr; }
  void add_nameserver_rules(node::WorldEditor& world, std::uint32_t node) const {
    world.node(node).set_filter(transition_.to.nodes[node].filter);
  }

  /// Whether BIRD runs before the first pod is replaced.
  bool has_bird(std::uint32_t node) const {
    return objects_.old_agents[node] ? transition_.has_bird_before()
                                     : transition_.has_bird_afterwards();
  }
  /// Rewrites the routes of BIRD after confd has changed its export filter, and returns the changes
  /// as text for the timeline. In a switch to routed pods, the routes of an old pod lose their
  /// tunnel. In a switch to IPIP, BIRD of an old pod deletes its routes and cannot write routes by
  /// tunl0, because the old Felix has not made this device (BIRD 1.6 sysdep/linux/netlink.c
  /// replaces a route by deleting and adding it); packets then follow the cloud's routes. BIRD does
  /// not write the routes of a VXLAN pool, which Felix owns. BIRD of a kept pod writes the routes
  /// of the target.
  std::string rewrite_routes(node::WorldEditor& world, std::uint32_t node) const;
  /// Removes the route to the pods of `peer`, as BIRD of an old pod does when it drops the routes
  /// of this peer.
  void withdraw(node::WorldEditor& world, std::uint32_t node, std::uint32_t peer) const {
    world.node(node).remove_route(pod_cidr(peer));
  }
  /// Opens a BGP session between two nodes: each gets the route to the other's pods.
  void connect(node::WorldEditor& world, std::uint32_t a, std::uint32_t b) const;
  /// Opens BGP sessions with all other nodes: the node gets the routes to their pods.
  void connect_to_all(node::WorldEditor& world, std::uint32_t node) const {
    world.node(node).set_cluster(transition_.to.nodes[node].cluster);
    announce_pods(world, node);
  }

 private:
  const IpPrefix& pod_cidr(std::uint32_t node) const {
    return transition_.to.nodes[node].member().ipv4->pod_cidr;
  }

  /// Writes the routes of a new pod's Felix with VXLAN. Felix knows only the blocks of calico-ipam,
  /// so it has no routes to older pods. Routes of a BIRD that ended before it deleted them stay,
  /// because cleanup-routes runs only without overlay.
  void start_vxlan(node::WorldEditor& world, std::uint32_t node) const;
  /// Sorted.
  std::vector<IpPrefix> pod_cidrs_of_peers(std::uint32_t node) const;

  const Transition& transition_;
  bool protects_conditions_;
  ClusterObjects& objects_;
  /// Nodes whose pods have addresses from blocks of calico-ipam.
  std::vector<std::uint32_t> with_blocks_;
  std::shared_ptr<const node::ClusterTable> without_tunnel_;
  std::shared_ptr<const node::ClusterTable> without_routes_;
  // All nodes share these filters.
  /// The old filter under the new IPPools.
  std::shared_ptr<const node::PacketFilter> with_new_pools_;
  /// The new filter without its rules for nameservers; null if it has no such rules.
  std::shared_ptr<const node::PacketFilter> without_nameservers_;
};

/// BIRD of the old calico-node pods. confd sees the changed IPPool on every node within seconds,
/// independently of the DaemonSet's roll-out. BIRD then rewrites the pod routes: without the tunnel
/// when the overlay is switched off, and with it when the overlay is switched on. The routes stay
/// when BIRD ends ("persist" in bird.cfg.template). BIRD of pods that the target keeps writes the
/// routes of the target.
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
  /// By time; the next reload is the last entry.
  std::vector<std::pair<Picos, std::uint32_t>> reloads_;
};

/// The full mesh of BGP sessions of new calico-node pods. When the overlay is switched on, the BIRD
/// of a new pod connects to the peers whose new pods run; two nodes have routes to each other's
/// pods only then. If BIRD runs before and after the switch, a new BIRD connects to all peers.
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

/// Graceful restart of BGP: BIRD of old pods keeps the routes of a peer whose BIRD was killed for
/// the graceful restart time, and then deletes them (RFC 4724; tools/check-bird-routes).
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

/// Masquerading of packets from pods during the switch. Felix of old pods follows the IPPools at
/// once. Without overlay one IPPool covers the nodes' range, so that pods reach nodes, and a
/// nameserver in that range, under their own addresses (networking-calico pull request 229). In new
/// pods a sidecar adds the rules for the nameservers of resolv.conf after a sleep of 15 s
/// (networking-calico pull request 324).
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
  bool follows_pools_ = false;  ///< Felix of old pods has applied the new IPPools.
  std::size_t seen_ = 0;        ///< Handled entries of ClusterObjects::agents_started.
};

// Blocks that calico-ipam allocates after a switch from host-local IPAM. calico-ipam does not know
// the nodes' pod CIDRs: each node claims blocks (/26) of the whole pod range, beginning at an index
// that depends on its host name (libcalico-go, lib/ipam/ipam_block_reader_writer.go,
// randomBlockGenerator). Felix then has a route to each block by the tunnel, on every node. If a
// block lies in the pod CIDR of another node, packets for older pods of that node (with addresses
// from host-local) go to the node of the block until those pods are created again.

/// Maximum number of blocks that a node claims; a block holds 64 addresses.
std::uint32_t blocks_per_node(const Transition& transition);

/// Number of nodes present at the start in whose pod CIDR any node claims a block, as drawn from
/// the seed. 0 if IPAM does not change.
std::uint32_t nodes_with_foreign_blocks(const Transition& transition, std::uint64_t seed);

/// The probability, from 0 to 1, that any node claims a block in the pod CIDR of a node.
double probability_of_foreign_blocks(const Transition& transition);

}  // namespace overlane::migration

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/node/state/world.h"
#include "topologies/cni/profiles.h"
#include "topologies/compile/compile.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/provider/profile.h"

namespace overlane::migration {

/// What BIRD makes of the route to a peer that is no neighbour when its export filter no longer
/// names a tunnel (tools/check-bird-routes asks BIRD 1.6.8).
enum class BeyondSubnet : std::uint8_t {
  Gateway,      ///< The next hop resolves to the default route, which packets take anyway.
  Unreachable,  ///< An unreachable route: where the node's address is a /32, BIRD does not learn
                ///< the default route, whose gateway is on no subnet of its own. (networking-calico
                ///< pull requests 229 and 546.)
};
std::string_view to_string(BeyondSubnet beyond);

/// "routed", or the encapsulation: "vxlan".
std::string_view mode_name(const effective::Dataplane& dataplane);

/// A switch of a shoot's pod network from one dataplane to another: the states that its components
/// configure before and afterwards, of the same nodes, and those in between.
struct Transition {
  effective::EffectiveDataplane before;
  effective::EffectiveDataplane after;
  compile::Compiled from;
  compile::Compiled to;
  BeyondSubnet beyond_subnet = BeyondSubnet::Gateway;
  /// So many of the last nodes are not there in the beginning, and join later.
  std::uint32_t joining = 0;

  const cni::Migration& cni() const { return cni::profile_of(after.agent).migration; }
  bool to_routed() const { return after.dataplane.mode == effective::Mode::Routed; }
  /// Whether pods get addresses of a second family, or lose them: all nodes have to be replaced.
  bool changes_families() const { return before.ip_families != after.ip_families; }
  bool becomes_dual_stack() const {
    return after.secondary_dataplane.has_value() && !before.secondary_dataplane;
  }
  /// Whether the nodes' interfaces get their pod CIDRs then, instead of routes to them, for good
  /// (GCP).
  bool moves_to_interfaces() const {
    return becomes_dual_stack() &&
           provider::profile_of(after.provider).routes.dual_stack_by_interface;
  }
  /// Whether the agents' new pods run BIRD, which writes routes to the pods of other nodes.
  bool has_bird_afterwards() const { return after.dataplane.backend == effective::Backend::Bird; }
  bool has_bird_before() const { return before.dataplane.backend == effective::Backend::Bird; }
  /// Whether IPAM changes from host-local to calico-ipam, of whose blocks alone Felix has routes
  /// (calico's VXLAN).
  bool changes_ipam() const {
    return after.dataplane.backend == effective::Backend::Vxlan &&
           before.dataplane.backend != effective::Backend::Vxlan;
  }
  /// Whether BIRD ran before and new pods have none.
  bool ends_bird() const { return has_bird_before() && !has_bird_afterwards(); }
  /// Whether BIRD ran before and its routes lose their tunnel.
  bool drops_bird_tunnel() const { return to_routed() && has_bird_before(); }
  /// Whether the provider's extension keeps calico-node from writing node conditions when the
  /// overlay is switched off (provider-aws pull request 1703, provider-gcp 1309, provider-openstack
  /// 1279).
  bool protects_conditions() const {
    return provider::profile_of(after.provider).routes.cleans_up_calico &&
           before.mutating_policies.enabled;
  }
  /// Whether old calico-node pods mark their nodes as unavailable when they end, and new ones do
  /// not undo it.
  bool may_lose_nodes() const { return ends_bird() && to_routed() && !protects_conditions(); }
  /// Whether the switch makes pods' addresses visible to the network between nodes, and it is
  /// unknown whether the network's backend (OVN) drops them.
  bool may_meet_ovn() const {
    return to_routed() && before.dataplane.mode != effective::Mode::Routed && !after.ovn &&
           provider::profile_of(after.provider).fabric.dropping_backend.has_value();
  }
  /// Whether Gardener replaces the nodes of every worker pool, instead of updating some in place.
  bool replaces_nodes() const {
    return std::ranges::none_of(before.workers,
                                &effective::EffectiveDataplane::WorkerPool::in_place);
  }
  /// Number of nodes, including those that join later.
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(from.nodes.size()); }
  std::uint32_t nodes_at_start() const { return nodes() - joining; }

  /// The switch in the other direction.
  Transition reversed() const {
    return {
        .before = after, .after = before, .from = to, .to = from, .beyond_subnet = beyond_subnet};
  }

  /// The nameservers to which pods' queries are masqueraded without overlay.
  std::vector<IpPrefix> nameservers() const;
  /// What a node knows of its peers while BIRD still runs and the IPPools already say that there is
  /// no tunnel.
  std::shared_ptr<const node::ClusterTable> without_tunnel() const;
  /// What it knows when BIRD's routes have been deleted.
  std::shared_ptr<const node::ClusterTable> without_routes() const;
};

/// A cloud route to the pods of a node, as the route controller writes it.
struct PodRoute {
  std::uint32_t table = 0;
  IpPrefix pod_cidr;
  node::FabricRoute route;  ///< To the node's instance.
};

/// Whether the cloud has the route.
bool has_route(const node::FabricState& fabric, const PodRoute& route);

/// Has the node announce its pods to the fabric by BGP as these states have it, or stop to. Other
/// nodes learn of it within a second, which does not count here.
void announce_by_bgp(const compile::Compiled& states, std::uint32_t node, node::WorldEditor& world);

/// The cloud routes to a node's pods that the route controller writes for the shoot.
std::vector<PodRoute> routes_of(const effective::EffectiveDataplane& shoot,
                                const compile::Compiled& states, std::uint32_t node);
/// The cloud routes that the shoot needs after the switch and does not have before, node by node,
/// without those of nodes that join.
std::vector<PodRoute> missing_routes(const Transition& transition);
/// Routes that the shoot has before and does not need afterwards; no controller removes them.
std::vector<PodRoute> unneeded_routes(const Transition& transition);

}  // namespace overlane::migration

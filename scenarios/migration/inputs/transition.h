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

// A switch of a shoot's pod network as states. Transition has the compiled states of the same nodes
// before and after the switch; the actors edit a world from the first to the second. The functions
// below list the cloud routes that the route controller writes for either state.

/// The route that BIRD writes to a peer of another subnet when its export filter no longer names a
/// tunnel (tools/check-bird-routes tests BIRD 1.6.8).
enum class BeyondSubnet : std::uint8_t {
  Gateway,      ///< The next hop resolves to the default route, which packets take anyway.
  Unreachable,  ///< An unreachable route. If the node's address is a /32, BIRD does not learn the
                ///< default route, because the gateway is in no subnet of the node
                ///< (networking-calico pull requests 229 and 546).
};
std::string_view to_string(BeyondSubnet beyond);

/// Returns "routed", or the name of the encapsulation: "vxlan".
std::string_view mode_name(const effective::Dataplane& dataplane);

/// A switch of a shoot's pod network from one dataplane to another. `from` and `to` are the states
/// that the components configure on the same nodes before and after the switch.
struct Transition {
  effective::EffectiveDataplane before;
  effective::EffectiveDataplane after;
  compile::Compiled from;
  compile::Compiled to;
  BeyondSubnet beyond_subnet = BeyondSubnet::Gateway;
  /// Number of nodes that are absent at the start and join later; these are the last nodes.
  std::uint32_t joining = 0;

  const cni::Migration& cni() const { return cni::profile_of(after.agent).migration; }
  bool to_routed() const { return after.dataplane.mode == effective::Mode::Routed; }
  /// Whether pods get or lose addresses of a second family. All nodes must be replaced then.
  bool changes_families() const { return before.ip_families != after.ip_families; }
  bool becomes_dual_stack() const {
    return after.secondary_dataplane.has_value() && !before.secondary_dataplane;
  }
  /// Whether, in a switch to dual-stack, the nodes' interfaces permanently get the pod CIDRs
  /// instead of routes to them (GCP).
  bool moves_to_interfaces() const {
    return becomes_dual_stack() &&
           provider::profile_of(after.provider).routes.dual_stack_by_interface;
  }
  /// Whether the agents' new pods run BIRD, which writes routes to the pods of other nodes.
  bool has_bird_afterwards() const { return after.dataplane.backend == effective::Backend::Bird; }
  bool has_bird_before() const { return before.dataplane.backend == effective::Backend::Bird; }
  /// Whether IPAM changes from host-local to calico-ipam, as for calico's VXLAN. Felix has routes
  /// to the blocks of calico-ipam only.
  bool changes_ipam() const {
    return after.dataplane.backend == effective::Backend::Vxlan &&
           before.dataplane.backend != effective::Backend::Vxlan;
  }
  /// Whether BIRD ran before the switch and new pods run without it.
  bool ends_bird() const { return has_bird_before() && !has_bird_afterwards(); }
  /// Whether BIRD ran before the switch and its routes lose their tunnel.
  bool drops_bird_tunnel() const { return to_routed() && has_bird_before(); }
  /// Whether the provider's extension keeps calico-node from writing node conditions when the
  /// overlay is switched off (provider-aws pull request 1703, provider-gcp 1309, provider-openstack
  /// 1279).
  bool protects_conditions() const {
    return provider::profile_of(after.provider).routes.cleans_up_calico &&
           before.mutating_policies.enabled;
  }
  /// Whether old calico-node pods mark their nodes as unavailable when they end, and new pods do
  /// not undo this.
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

  /// The routes of a node to its peers while BIRD still runs and the IPPools already name no
  /// tunnel.
  std::shared_ptr<const node::ClusterTable> without_tunnel() const;
  /// The routes of a node to its peers after BIRD's routes have been deleted.
  std::shared_ptr<const node::ClusterTable> without_routes() const;
};

/// A cloud route to the pods of a node, as the route controller writes it.
struct PodRoute {
  std::uint32_t table = 0;
  IpPrefix pod_cidr;
  node::FabricRoute route;  ///< To the node's instance.
};

/// Whether the route table of the cloud contains the route.
bool has_route(const node::FabricState& fabric, const PodRoute& route);

/// Sets whether the node announces its pods to the fabric by BGP to the value in `states`. The
/// change takes effect at once; other real nodes learn of it within a second.
void announce_by_bgp(const compile::Compiled& states, std::uint32_t node, node::WorldEditor& world);

/// Returns the cloud routes to the pods of `node` that the route controller writes for the shoot.
std::vector<PodRoute> routes_of(const effective::EffectiveDataplane& shoot,
                                const compile::Compiled& states, std::uint32_t node);
/// Returns the cloud routes, node by node, that the shoot needs after the switch and does not have
/// before it. Routes to nodes that join are not included.
std::vector<PodRoute> missing_routes(const Transition& transition);
/// Returns the cloud routes that the shoot has before the switch and does not need after it. No
/// controller removes them.
std::vector<PodRoute> unneeded_routes(const Transition& transition);

}  // namespace overlane::migration

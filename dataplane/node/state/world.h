#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {

// A World is all nodes of a cluster and the fabric between them at one time. Only its editors
// change states: NodeEditor, FabricEditor and WorldEditor, which has both. Each call changes one
// thing, records the change for take(), and raises the state's Generation, so that cached decisions
// become stale. Editors are not synchronised: no other thread may read the world during a call.

/// The changes of a node's state. Decisions that used no changed entry stay valid.
struct NodeChange {
  std::vector<IpPrefix> destinations;  ///< Destinations of changed routes.
  /// Devices, pods' veths included, that were added, replaced or removed.
  std::vector<DeviceName> devices;
  /// Former values of replaced or removed entries: routes, except those of pods, and MTUs of
  /// devices in bytes.
  std::map<IpPrefix, Route> routes_before;
  std::map<DeviceName, std::uint32_t> mtus_before;
  bool peers = false;  ///< The cluster table has changed.
  bool filter = false;
  bool services = false;
  bool sysctls = false;

  bool any() const {
    return !destinations.empty() || !devices.empty() || peers || filter || services || sysctls;
  }
};

/// Changes a NodeState; nothing else may. A call that changes something records the change for
/// take(), raises the generation and returns true. If the state has the requested value already,
/// the call has no effect and returns false. The cost is proportional to the change, not to the
/// size of the state.
class NodeEditor {
 public:
  explicit NodeEditor(NodeState& state) : state_(state) {}

  /// Adds or replaces a route of this node. A route that equals the derived entry restores that
  /// entry, so that undoing a change leaves no difference.
  bool set_route(const IpPrefix& destination, Route route);
  /// Removes the route from its layer.
  bool remove_route(IpPrefix destination);
  /// Restores a removed route of the derived layers. Returns false if it was not removed.
  bool restore_route(const IpPrefix& destination);

  /// Adds or removes a prefix of NodeState::local_routes.
  bool add_local_route(const IpPrefix& destination);
  bool remove_local_route(const IpPrefix& destination);

  /// Adds a device, or replaces the device with its name.
  bool set_device(Device device);
  bool remove_device(DeviceName name);

  /// Adds a pod, or replaces the pod with its address.
  bool set_pod(LocalPod pod);
  bool remove_pod(IpAddress address);

  // Setters of shared parts. They return false if it is the same object already.
  /// Sets the cluster table. `cluster` must not be null and must have this node with the same
  /// number.
  bool set_cluster(std::shared_ptr<const ClusterTable> cluster);
  /// Sets the cluster table, and the prefixes of derived routes to hide. `removed` must be sorted.
  bool set_cluster(std::shared_ptr<const ClusterTable> cluster, std::vector<IpPrefix> removed);
  bool set_filter(std::shared_ptr<const PacketFilter> filter);
  bool set_services(std::shared_ptr<const ServiceTable> services);
  bool set_sysctls(const Sysctls& sysctls);

  const NodeState& state() const { return state_; }
  /// Returns all changes since the editor was made, or since the last call.
  NodeChange take() { return std::exchange(change_, {}); }

 private:
  NodeState& state_;
  NodeChange change_;
};

/// The changes of a fabric's state. Decisions that used no changed entry stay valid.
struct FabricChange {
  struct Destination {
    std::uint32_t route_table = 0;
    IpPrefix prefix;
    bool operator==(const Destination&) const = default;
  };
  std::vector<Destination> destinations;  ///< Destinations of changed routes.
  /// Instances whose addresses, prefixes, checks or groups changed.
  std::vector<std::uint32_t> instances;
  std::vector<std::uint32_t> groups;  ///< Groups whose rules changed.
  bool all = false;  ///< True after a change that affects every packet: MTU, deny rules.

  bool any() const { return !destinations.empty() || !instances.empty() || !groups.empty() || all; }
};

/// The result of setting a route. A rejected route is not in the table.
enum class RouteChange : std::uint8_t { Set, Unchanged, OverQuota, InsideSubnet };

/// Returns the reason why the provider's API rejects a route to `destination` (OverQuota,
/// InsideSubnet); nothing if it accepts the route.
std::optional<RouteChange> refusal_of(const FabricState& state, std::uint32_t route_table,
                                      const IpPrefix& destination);

/// Changes a FabricState; nothing else may. A call that changes something records the change for
/// take() and raises the generation; other calls have no effect. The cost is proportional to the
/// change, except for route tables that are close to their quota.
class FabricEditor {
 public:
  explicit FabricEditor(FabricState& state) : state_(state) {}

  /// Adds or replaces a route like the provider's API. Rejects a new route beyond the table's
  /// quota, and a route that the provider never accepts (protects_subnets).
  RouteChange set_route(std::uint32_t route_table, const IpPrefix& destination,
                        const FabricRoute& route);
  bool remove_route(std::uint32_t route_table, IpPrefix destination);

  /// Replaces an instance's addresses, prefixes, checks and groups.
  bool set_instance(std::uint32_t instance, Instance replacement);
  bool remove_prefix(std::uint32_t instance, const IpPrefix& prefix);

  bool add_rule(std::uint32_t group, FabricRule rule);
  bool remove_rule(std::uint32_t group, const FabricRule& rule);

  bool set_mtu(std::uint32_t mtu);
  bool set_path_mtu(const FabricPathMtu& path_mtu);
  bool set_denied(std::vector<DenyRule> denied);
  bool set_dropped_protocols(std::vector<std::uint8_t> protocols);
  bool set_drops_disordered_fragments(bool drops);

  const FabricState& state() const { return state_; }
  /// Returns all changes since the editor was made, or since the last call.
  FabricChange take() { return std::exchange(change_, {}); }

 private:
  template <typename Member>
  bool set(Member FabricState::*member, Member value);

  FabricState& state_;
  FabricChange change_;
};

/// The nodes of a cluster and the fabric between them at one time. `nodes[i]` and
/// `fabric.instances[i]` are the same machine. A node keeps its number: after it has left, and
/// before it joins, it is in `stopped`.
struct World {
  std::vector<NodeState> nodes;
  FabricState fabric;
  /// Numbers of the nodes whose machines do not run. Packets on them and to them are lost
  /// (Drop::NodeGone). Their own states and the cloud's state do not change.
  std::set<std::uint32_t> stopped = {};
};

/// The node and the address of a pod.
struct PodPlace {
  std::uint32_t node = 0;
  IpAddress address;

  auto operator<=>(const PodPlace&) const = default;
};

/// A pod that was recreated, perhaps on another node: the same workload with new sockets.
struct PodRestart {
  PodPlace before;
  PodPlace now;

  auto operator<=>(const PodRestart&) const = default;
};

/// All changes of a world at one time.
struct WorldChange {
  std::map<std::uint32_t, NodeChange> nodes;  ///< Only nodes with a change.
  FabricChange fabric;
  std::vector<std::uint32_t> stopped;  ///< Numbers of nodes.
  std::vector<std::uint32_t> started;  ///< Numbers of nodes. Their pods are recreated.
  std::vector<PodPlace> ended;         ///< Ended pods of running nodes.
  std::vector<PodRestart> restarted;

  bool any() const {
    return !nodes.empty() || fabric.any() || !stopped.empty() || !started.empty() ||
           !ended.empty() || !restarted.empty();
  }
};

/// Changes a world and records the changes. The world must outlive the editor.
class WorldEditor {
 public:
  explicit WorldEditor(World& world) : world_(world), fabric_(world.fabric) {}

  /// Returns the editor of node `number`; always the same one for a number until take().
  NodeEditor& node(std::uint32_t number) {
    return editors_.try_emplace(number, world_.nodes.at(number)).first->second;
  }
  FabricEditor& fabric() { return fabric_; }

  /// Stops a node that leaves or fails. Returns false if it does not run.
  bool stop_node(std::uint32_t number);
  /// Starts a node that joins or has rebooted. Its runtime must start empty. Returns false if it
  /// runs already.
  bool start_node(std::uint32_t number);
  /// Ends a pod. Returns false if there is none.
  bool end_pod(const PodPlace& place);
  /// Recreates the pod that is or was at `before` on `node`.
  void restart_pod(const PodPlace& before, std::uint32_t node, const LocalPod& pod);

  const World& world() const { return world_; }

  /// Returns all changes since the last call. Invalidates references to editors of nodes.
  WorldChange take() {
    WorldChange change = std::exchange(change_, {});
    change.fabric = fabric_.take();
    for (auto& [number, editor] : editors_) {
      NodeChange of_node = editor.take();
      if (of_node.any()) change.nodes.emplace(number, std::move(of_node));
    }
    editors_.clear();
    return change;
  }

 private:
  World& world_;
  FabricEditor fabric_;
  std::map<std::uint32_t, NodeEditor> editors_;
  WorldChange change_;  ///< Nodes and pods that stopped and started.
};

}  // namespace overlane::node

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

// A World is all nodes of a cluster and the fabric between them at one time. Its editors are
// the only way to change states: NodeEditor, FabricEditor and WorldEditor, which has both. Each
// call changes what it names, notes the change for take(), and raises the state's Generation,
// by which cached decisions notice that they are stale. Editors are not synchronised: no other
// thread may read the world during a call.

/// The changes of a node's state. Decisions that read no changed entry stay valid.
struct NodeChange {
  std::vector<IpPrefix> destinations;  ///< Whose routes were added, replaced or removed.
  std::vector<DeviceName> devices;     ///< Added, replaced or removed; pods' veths among them.
  /// Replaced or removed entries: routes except those of pods, and MTUs of devices, in bytes.
  std::map<IpPrefix, Route> routes_before;
  std::map<DeviceName, std::uint32_t> mtus_before;
  bool peers = false;  ///< What the node knows of the cluster's nodes.
  bool filter = false;
  bool services = false;
  bool sysctls = false;

  bool any() const {
    return !destinations.empty() || !devices.empty() || peers || filter || services || sysctls;
  }
};

/// The only way to change a NodeState after it was made. Each call changes what it names, notes
/// that for take() and raises the generation; it returns false and does neither where the state is
/// as asked for already. Costs as much as it changes, not as large as the state is.
class NodeEditor {
 public:
  explicit NodeEditor(NodeState& state) : state_(state) {}

  /// Adds or replaces a route of this node. A route that equals what the derived layers say brings
  /// back their entry, so that undoing a change undoes the delta.
  bool set_route(const IpPrefix& destination, Route route);
  /// Removes the route from whichever layer holds it.
  bool remove_route(IpPrefix destination);
  /// Brings back a route of the derived layers that was removed. False: none was.
  bool restore_route(const IpPrefix& destination);

  /// Adds or removes a prefix of NodeState::local_routes.
  bool add_local_route(const IpPrefix& destination);
  bool remove_local_route(const IpPrefix& destination);

  /// Adds a device, or replaces the one of its name.
  bool set_device(Device device);
  bool remove_device(DeviceName name);

  /// Adds a pod, or replaces the one of its address.
  bool set_pod(LocalPod pod);
  bool remove_pod(IpAddress address);

  // Shared parts: false where it is the very same object.
  /// `cluster` is not null and has this node under the same number.
  bool set_cluster(std::shared_ptr<const ClusterTable> cluster);
  /// Sets the cluster table, without the derived routes in `removed`, which
  /// is sorted.
  bool set_cluster(std::shared_ptr<const ClusterTable> cluster, std::vector<IpPrefix> removed);
  bool set_filter(std::shared_ptr<const PacketFilter> filter);
  bool set_services(std::shared_ptr<const ServiceTable> services);
  bool set_sysctls(const Sysctls& sysctls);

  const NodeState& state() const { return state_; }
  /// All that was changed since the editor was made, or since the last call.
  NodeChange take() { return std::exchange(change_, {}); }

 private:
  NodeState& state_;
  NodeChange change_;
};

/// The changes of a fabric's state. Decisions that read no changed entry stay valid.
struct FabricChange {
  struct Destination {
    std::uint32_t route_table = 0;
    IpPrefix prefix;
    bool operator==(const Destination&) const = default;
  };
  std::vector<Destination> destinations;  ///< Whose routes were added, replaced or removed.
  std::vector<std::uint32_t> instances;   ///< Their addresses, prefixes, checks or groups.
  std::vector<std::uint32_t> groups;      ///< Their rules.
  bool all = false;                       ///< What concerns every packet: MTU, denied packets.

  bool any() const { return !destinations.empty() || !instances.empty() || !groups.empty() || all; }
};

/// What became of a route that was asked for: a refused one is not there.
enum class RouteChange : std::uint8_t { Set, Unchanged, OverQuota, InsideSubnet };

/// Why the provider's API refuses a route to `destination` (OverQuota, InsideSubnet); nothing: it
/// takes it.
std::optional<RouteChange> refusal_of(const FabricState& state, std::uint32_t route_table,
                                      const IpPrefix& destination);

/// The only way to change a FabricState after it was made. Each call changes what it names, notes
/// that for take() and raises the generation; it does neither where nothing changes. Costs as much
/// as it changes, but for route tables that are near their quota.
class FabricEditor {
 public:
  explicit FabricEditor(FabricState& state) : state_(state) {}

  /// Adds or replaces a route as the provider's API does: refuses a new one beyond the table's
  /// quota, and one that the provider never takes (protects_subnets).
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
  /// All that was changed since the editor was made, or since the last call.
  FabricChange take() { return std::exchange(change_, {}); }

 private:
  template <typename Member>
  bool set(Member FabricState::*member, Member value);

  FabricState& state_;
  FabricChange change_;
};

/// The nodes of a cluster and the fabric between them, as they are at one time. `nodes[i]` and
/// `fabric.instances[i]` are the same machine. A node keeps its number: one that leaves is stopped,
/// one that joins later is stopped until then.
struct World {
  std::vector<NodeState> nodes;
  FabricState fabric;
  /// Numbers of the nodes whose machine does not run: packets on it and to it are lost
  /// (Drop::NodeGone). Their states stay as they are, and so does the cloud's.
  std::set<std::uint32_t> stopped = {};
};

/// Where a pod is.
struct PodPlace {
  std::uint32_t node = 0;
  IpAddress address;

  auto operator<=>(const PodPlace&) const = default;
};

/// A pod that was made again, maybe elsewhere: the same workload with new sockets.
struct PodRestart {
  PodPlace before;
  PodPlace now;

  auto operator<=>(const PodRestart&) const = default;
};

/// All changes of a world at one time.
struct WorldChange {
  std::map<std::uint32_t, NodeChange> nodes;  ///< Only nodes of which something was changed.
  FabricChange fabric;
  std::vector<std::uint32_t> stopped;  ///< Nodes.
  std::vector<std::uint32_t> started;  ///< Nodes. Their pods are made again.
  std::vector<PodPlace> ended;         ///< Pods of nodes that run.
  std::vector<PodRestart> restarted;

  bool any() const {
    return !nodes.empty() || fabric.any() || !stopped.empty() || !started.empty() ||
           !ended.empty() || !restarted.empty();
  }
};

/// Changes a world and notes what was changed.
class WorldEditor {
 public:
  explicit WorldEditor(World& world) : world_(world), fabric_(world.fabric) {}

  /// The editor of node `number`; each call with one number returns the same editor.
  NodeEditor& node(std::uint32_t number) {
    return editors_.try_emplace(number, world_.nodes.at(number)).first->second;
  }
  FabricEditor& fabric() { return fabric_; }

  /// A node leaves, or fails. False: it does not run.
  bool stop_node(std::uint32_t number);
  /// A node joins, or is back from a reboot: its kernel has learned nothing yet. False: it runs.
  bool start_node(std::uint32_t number);
  /// Ends a pod. False: there is none.
  bool end_pod(const PodPlace& place);
  /// Makes a pod again that was at `before`, or still is.
  void restart_pod(const PodPlace& before, std::uint32_t node, const LocalPod& pod);

  const World& world() const { return world_; }

  /// All that was changed since the last call. References to editors of nodes end here.
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

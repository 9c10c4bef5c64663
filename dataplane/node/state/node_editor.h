#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "dataplane/node/state/node_state.h"

namespace overlane::node {

/// What was changed of a node's state: packets that ask for none of it fare as before.
struct NodeChange {
  std::vector<IpPrefix> destinations;  ///< Whose routes were added, replaced or removed.
  std::vector<DeviceName> devices;     ///< Added, replaced or removed; pods' veths among them.
  /// What was replaced or removed: routes but those of pods, and MTUs of devices, in bytes.
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
  /// The same, and the node has only those of the derived routes that are not in `removed`, which
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

}  // namespace overlane::node

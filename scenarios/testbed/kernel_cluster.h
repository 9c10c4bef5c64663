#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/device.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "dataplane/kernel/traffic/carry.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::testbed {

/// What all slices of a measurement have in common.
struct SliceOptions {
  kernel::FlowTimes times;
  kernel::DeviceOffloads offloads{.checksums = true, .segmentation = true, .receive = false};
};

/// Traffic as one slice measured it.
struct Slice {
  std::vector<model::TrafficResult> traffic;  ///< By group.
  double busy = 0;                            ///< Share of all processors: 0…1.
};

/// One variant's nodes, and the pods that its traffic needs, as namespaces of this kernel.
class KernelCluster {
 public:
  /// Fails with what the kernel refused. `groups`: all whose pods are wanted.
  static Parsed<std::unique_ptr<KernelCluster>> make(const run::Network& network,
                                                     const std::vector<run::TrafficGroup>& groups,
                                                     const kernel::DeviceOffloads& offloads);

  /// Carries the groups, all at once. Fails if a flow does not get through.
  Parsed<Slice> carry(const std::vector<run::TrafficGroup>& groups, const kernel::FlowTimes& times,
                      const std::atomic<bool>& stop) const;

  /// "veth pair" or "bridges".
  const std::string& wire() const { return wire_; }
  /// Counters that tell of lost packets, since the nodes were made.
  std::map<std::string, std::int64_t> losses() const;

 private:
  explicit KernelCluster(kernel::ClusterNamespaces nodes) : nodes_(std::move(nodes)) {}

  Result<void, std::string> add_pods(const run::Network& network,
                                     const std::vector<run::TrafficGroup>& groups);
  Result<void, std::string> set_up_devices(const run::Network& network,
                                           const kernel::DeviceOffloads& offloads);
  kernel::FlowEnd end(const run::PodEnd& pod, bool on_node, std::size_t flow, bool is_server) const;

  kernel::ClusterNamespaces nodes_;
  std::string wire_;
  std::map<run::PodEnd, kernel::NetworkNamespace> pods_;
};

/// Of this machine, that flows run on.
std::uint32_t processors();

/// Why a kernel with these abilities cannot be the nodes; empty if it can.
std::string obstacle_to(const run::Network& network, const std::vector<kernel::Ability>& abilities);

/// Why real sockets cannot send this traffic; empty if they can.
std::string not_measurable(const run::TrafficGroup& group);

}  // namespace overlane::testbed

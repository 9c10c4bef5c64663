#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "scenarios/testbed/cluster.h"

namespace overlane::testbed {

// Namespaces of this machine's kernel as the nodes and pods of a measurement. KernelCluster owns
// the namespaces of one variant; its destruction removes them. ThisHost creates the clusters.

/// The nodes of one variant, and the pods that its traffic needs, as namespaces of this kernel.
class KernelCluster : public Cluster {
 public:
  /// Creates the nodes, and the pods of all `groups`. If the kernel refuses an operation, the error
  /// names it.
  static Parsed<std::unique_ptr<KernelCluster>> make(const run::Network& network,
                                                     const std::vector<run::TrafficGroup>& groups,
                                                     const kernel::DeviceOffloads& offloads);

  Result<Slice, HostsFailure> carry(const std::vector<run::TrafficGroup>& groups,
                                    const kernel::FlowTimes& times,
                                    const std::atomic<bool>& stop) override;
  Parsed<kernel::OtherFigure> cross_check(const run::TrafficGroup& group,
                                          std::chrono::seconds time) override;
  /// Returns "veth pair" or "bridges".
  std::string wire() const override { return wire_; }
  std::map<std::string, std::int64_t> losses() const override;

 private:
  explicit KernelCluster(kernel::ClusterNamespaces nodes) : nodes_(std::move(nodes)) {}

  Result<void, std::string> add_pods(const run::Network& network,
                                     const std::vector<run::TrafficGroup>& groups);
  Result<void, std::string> set_up_devices(const run::Network& network,
                                           const kernel::DeviceOffloads& offloads);
  kernel::FlowEnd end(const PlannedEnd& end, std::uint32_t flow, bool is_server) const;

  kernel::ClusterNamespaces nodes_;
  /// Port of the next server of another program. The ports of earlier servers are in TIME_WAIT.
  std::uint16_t other_port_ = 15'000;
  std::string wire_;
  std::map<run::PodEnd, kernel::NetworkNamespace> pods_;
};

/// Returns the number of processors of this machine that run flows.
std::uint32_t processors();

/// Returns why a kernel with these abilities cannot be the nodes; empty if it can.
std::string obstacle_to(const run::Network& network, const std::vector<kernel::Ability>& abilities);

/// The kernel of this machine, whose namespaces are the nodes.
class ThisHost : public Hosts {
 public:
  /// Opens the kernel. Fails without root.
  static Parsed<std::unique_ptr<ThisHost>> open();

  std::string kernel_release() const override { return able_.kernel; }
  std::string obstacle(const run::Network& network) const override;
  Result<std::unique_ptr<Cluster>, HostsFailure> make(
      const run::Network& network, const std::vector<run::TrafficGroup>& groups,
      const kernel::DeviceOffloads& offloads) override;

 private:
  explicit ThisHost(kernel::Answer able) : able_(std::move(able)) {}

  kernel::Answer able_;
};

}  // namespace overlane::testbed

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/traffic/carry.h"
#include "dataplane/kernel/traffic/other_program.h"
#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::testbed {

// The nodes and pods on which a measurement sends real traffic. A Cluster is the nodes and pods of
// one variant: either namespaces of this kernel (kernel_cluster.h) or two hosts with agents
// (agent_pair.h). Hosts creates the clusters. A measurement alternates between variants in short
// slices. A slice plans the flows of a scenario's traffic, runs them with real sockets, and returns
// the figures that their ends counted.

/// The options of all slices of a measurement.
struct SliceOptions {
  kernel::FlowTimes times;
  kernel::DeviceOffloads offloads{.checksums = true, .segmentation = true, .receive = false};
};

/// The result of one slice.
struct Slice {
  std::vector<model::TrafficResult> traffic;  ///< By traffic group.
  double busy = 0;  ///< Share of the time of all processors that was busy, from 0 to 1.
};

/// The reason why an operation on hosts failed.
struct HostsFailure {
  std::string message;
  bool is_final = false;  ///< A host has disappeared, so that no more measurements are possible.
};

/// The MTUs, in bytes, of a variant whose nodes are existing hosts.
struct HostMtus {
  std::uint32_t link = 0;
  std::uint32_t pod = 0;
};

/// One variant's nodes, and the pods that its traffic needs.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// Sends the traffic of all groups at the same time. Fails if a flow does not get through, and
  /// ends early when `stop` is true.
  virtual Result<Slice, HostsFailure> carry(const std::vector<run::TrafficGroup>& groups,
                                            const kernel::FlowTimes& times,
                                            const std::atomic<bool>& stop) = 0;
  /// Measures a group with another program while no other traffic runs.
  virtual Parsed<kernel::OtherFigure> cross_check(const run::TrafficGroup& /*group*/,
                                                  std::chrono::seconds /*time*/) {
    return fail("only between namespaces of this machine");
  }
  /// Returns the kind of link between the nodes: "veth pair".
  virtual std::string wire() const = 0;
  /// Returns the counters of lost packets since the creation of the nodes, by name.
  virtual std::map<std::string, std::int64_t> losses() const { return {}; }
  /// Returns the MTUs of existing hosts; empty if the MTUs are those of the states.
  virtual std::optional<HostMtus> mtus() const { return std::nullopt; }
};

/// The place where the nodes of variants are created: namespaces of this kernel, or hosts with
/// agents.
class Hosts {
 public:
  virtual ~Hosts() = default;

  virtual std::string kernel_release() const = 0;
  /// The hosts that are the measurement's nodes; empty if this machine is the only one.
  virtual std::vector<model::MeasuredHost> facts() const { return {}; }
  /// Whether the measurement uses the existing network of the hosts. There is only one variant
  /// then.
  virtual bool is_as_is() const { return false; }
  /// Returns findings about the hosts that a reader of the figures needs.
  virtual Findings findings() const { return {}; }
  /// Returns why these hosts cannot be the nodes; empty if they can.
  virtual std::string obstacle(const run::Network& network) const = 0;
  /// Creates the nodes of a variant, and the pods of all `groups`.
  virtual Result<std::unique_ptr<Cluster>, HostsFailure> make(
      const run::Network& network, const std::vector<run::TrafficGroup>& groups,
      const kernel::DeviceOffloads& offloads) = 0;
};

/// The place of one end of a flow.
struct PlannedEnd {
  run::PodEnd pod;
  /// The end is in the network of its node and uses the address of the node.
  bool is_on_node = false;
};

/// A flow of a slice, independent of the kind of its ends.
struct PlannedFlow {
  kernel::FlowLoad load;
  PlannedEnd client;
  PlannedEnd server;
  std::uint16_t port = 0;  ///< Port of the server; each flow has its own, from run::kServerPort on.
  std::uint64_t seed = 1;
};

/// Returns the flows of all groups, in the order of the groups.
std::vector<PlannedFlow> flows_of(const std::vector<run::TrafficGroup>& groups);

/// Computes the result of a slice from the figures of flows_of(groups). Fails if a flow failed,
/// with its reason.
Result<Slice, HostsFailure> slice_of(const std::vector<run::TrafficGroup>& groups,
                                     const kernel::Carried& carried);

/// Returns why real sockets cannot send this traffic; empty if they can.
std::string not_measurable(const run::TrafficGroup& group);

}  // namespace overlane::testbed

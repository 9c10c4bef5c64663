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

// What a measurement of real traffic runs on. A Cluster is one variant's nodes and pods, either
// namespaces of this kernel (kernel_cluster.h) or two hosts with agents (agent_pair.h). A
// measurement alternates between variants in short slices; a slice plans the flows of a scenario's
// traffic, runs them with real sockets and returns what their ends counted.

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

/// Why something was not done.
struct HostsFailure {
  std::string message;
  bool is_final = false;  ///< Nothing more can be measured: a host has disappeared.
};

/// The MTUs of a variant whose nodes are hosts that exist.
struct HostMtus {
  std::uint32_t link = 0;
  std::uint32_t pod = 0;
};

/// One variant's nodes, and the pods that its traffic needs.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// Carries the groups, all at once. Fails if a flow does not get through.
  virtual Result<Slice, HostsFailure> carry(const std::vector<run::TrafficGroup>& groups,
                                            const kernel::FlowTimes& times,
                                            const std::atomic<bool>& stop) = 0;
  /// What another program measures of a group, which has the machine for itself.
  virtual Parsed<kernel::OtherFigure> cross_check(const run::TrafficGroup& /*group*/,
                                                  std::chrono::seconds /*time*/) {
    return fail("only between namespaces of this machine");
  }
  /// What joins the nodes: "veth pair".
  virtual std::string wire() const = 0;
  /// Counters that tell of lost packets, since the nodes were made.
  virtual std::map<std::string, std::int64_t> losses() const { return {}; }
  /// Empty: those of the states.
  virtual std::optional<HostMtus> mtus() const { return std::nullopt; }
};

/// Where the nodes of variants are made: in namespaces of this kernel, or on hosts with agents.
class Hosts {
 public:
  virtual ~Hosts() = default;

  virtual std::string kernel_release() const = 0;
  /// The hosts that are the measurement's nodes; empty if this machine is the only one.
  virtual std::vector<model::MeasuredHost> facts() const { return {}; }
  /// Whether the hosts are measured over the network that they have: one variant, as it is.
  virtual bool is_as_is() const { return false; }
  /// What a reader of the figures has to know of the hosts.
  virtual Findings findings() const { return {}; }
  /// Why these hosts cannot be the nodes; empty if they can.
  virtual std::string obstacle(const run::Network& network) const = 0;
  /// `groups`: all whose pods are wanted.
  virtual Result<std::unique_ptr<Cluster>, HostsFailure> make(
      const run::Network& network, const std::vector<run::TrafficGroup>& groups,
      const kernel::DeviceOffloads& offloads) = 0;
};

/// Where an end of a flow is.
struct PlannedEnd {
  run::PodEnd pod;
  bool is_on_node = false;  ///< On the network of its node, which has the address.
};

/// A flow of a slice, wherever its ends are.
struct PlannedFlow {
  kernel::FlowLoad load;
  PlannedEnd client;
  PlannedEnd server;
  std::uint16_t port = 0;  ///< One for each flow: run::kServerPort and those behind it.
  std::uint64_t seed = 1;
};

/// The flows of all groups, in their order.
std::vector<PlannedFlow> flows_of(const std::vector<run::TrafficGroup>& groups);

/// What the figures of flows_of(groups) say. Fails with the failure of a flow.
Result<Slice, HostsFailure> slice_of(const std::vector<run::TrafficGroup>& groups,
                                     const kernel::Carried& carried);

/// Why real sockets cannot send this traffic; empty if they can.
std::string not_measurable(const run::TrafficGroup& group);

}  // namespace overlane::testbed

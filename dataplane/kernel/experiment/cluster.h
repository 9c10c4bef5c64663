#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "dataplane/node/state/fabric_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// A packet that is sent into one node of a cluster.
struct Launch {
  std::uint32_t node = 0;
  Injection injection;  ///< From a pod.

  auto operator<=>(const Launch&) const = default;
};

/// A packet that reached a pod, not necessarily the intended one. An ICMP error reaches the sender.
struct Arrival {
  std::uint32_t node = 0;
  std::string device;                ///< The pod's veth.
  std::vector<std::uint8_t> packet;  ///< From the IP header on.

  auto operator<=>(const Arrival&) const = default;
};

/// Nodes, the fabric between them, and the packets to send, one after another. Only kernels carry a
/// packet from pod to pod. A plain value like Experiment.
struct ClusterExperiment {
  std::vector<SetUp> nodes;
  FabricSetUp fabric;
  std::vector<Launch> launches;

  bool operator==(const ClusterExperiment&) const = default;
};

/// Makes an experiment. Fails if fabric_set_up() fails.
Parsed<ClusterExperiment> make_cluster_experiment(std::span<const node::NodeState> nodes,
                                                  const node::FabricState& fabric,
                                                  std::vector<Launch> launches);

/// Returns the packets that reached pods for each launch, or the command that failed. Requires root
/// and removes everything at the end, like run(Experiment).
Parsed<std::vector<std::vector<Arrival>>> run(const ClusterExperiment& experiment);

}  // namespace overlane::kernel

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

/// A packet on its way into one node of a cluster.
struct Launch {
  std::uint32_t node = 0;
  Injection injection;  ///< From a pod.

  auto operator<=>(const Launch&) const = default;
};

/// A packet that reached a pod, whichever was meant; an ICMP error reaches the sender.
struct Arrival {
  std::uint32_t node = 0;
  std::string device;                ///< The pod's veth.
  std::vector<std::uint8_t> packet;  ///< From the IP header on.

  auto operator<=>(const Arrival&) const = default;
};

/// Nodes, the fabric between them, and what they are to be sent, one after the other. Nothing but
/// kernels carries a packet from pod to pod. A plain value, as Experiment is.
struct ClusterExperiment {
  std::vector<SetUp> nodes;
  FabricSetUp fabric;
  std::vector<Launch> launches;

  bool operator==(const ClusterExperiment&) const = default;
};

/// Fails as fabric_set_up() does.
Parsed<ClusterExperiment> make_cluster_experiment(std::span<const node::NodeState> nodes,
                                                  const node::FabricState& fabric,
                                                  std::vector<Launch> launches);

/// What each launch brought to pods; or the command that failed. Needs root, and leaves nothing
/// behind, as run(Experiment).
Parsed<std::vector<std::vector<Arrival>>> run(const ClusterExperiment& experiment);

}  // namespace overlane::kernel

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "sim/run/run.h"

namespace overlane::bench {

/// How a shoot's pods reach pods of other nodes.
enum class PodNetwork : std::uint8_t { Routed, Ipip, Vxlan };

/// "routed", "ipip" or "vxlan".
std::string_view to_string(PodNetwork network);

struct ClusterRequest {
  PodNetwork network = PodNetwork::Routed;
  std::uint32_t nodes = 2;
  std::uint32_t pods_per_node = 1;  ///< 1…110, the kubelet's default.
  bool cpu_costs = false;           ///< With the cost profile linux-server.
};

/// A shoot's nodes and VPC, ready to run.
struct Cluster {
  run::Network network;
  std::vector<run::PodEnd> pods;      ///< Node by node.
  std::vector<run::PodEnd> on_nodes;  ///< The nodes' own addresses.
};

/// Does all steps of `overlane run`: writes the manifest of an AWS shoot with Calico in one zone on
/// links of 1,500 bytes, decodes it, derives its dataplane and compiles its states, with the full
/// configuration of a Gardener node. AWS's route quota (500) is ignored. An error is a defect, or
/// more nodes than the pod range allows (8,192).
Parsed<Cluster> make_cluster(const ClusterRequest& request);

}  // namespace overlane::bench

#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "sim/run/run.h"

namespace overlane::bench {

// The workloads of the engine benchmark: how a shoot's cluster is made, the traffic in it, and what
// a run of it costs. A cluster is made by all steps of `overlane run`, so that the states are as
// large as real ones.

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
/// more nodes than the pod range allows (16,384).
Parsed<Cluster> make_cluster(const ClusterRequest& request);

// Costs of a run for this process: seconds and memory.

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

inline double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Traffic between different nodes, pod to pod or node to node: flow f starts at node f modulo
/// `nodes`.
struct Workload {
  std::string name;
  PodNetwork network = PodNetwork::Routed;
  std::uint32_t nodes = 10;  ///< At least 2.
  std::uint32_t pods_per_node = 110;
  bool between_nodes = false;  ///< From node to node; `network` is that of the idle pods.
  bool cpu_costs = false;
  std::uint32_t flows = 100;  ///< At least 1.
  std::optional<fabric::Racks> racks;
  /// Changes of a node's route and of a cloud route, in turns and at even intervals; none of them
  /// loses a packet.
  std::uint32_t changes = 0;

  model::TrafficKind kind = model::TrafficKind::Udp;  ///< Or Tcp.
  std::uint32_t payload_bytes = 1000;                 ///< udp: of each datagram.
  std::int64_t packets_per_flow = 100;                ///< udp: datagrams of each flow.
  Picos gap;       ///< udp: between the datagrams of a flow, more than 200 µs.
  Bytes transfer;  ///< tcp: payload of each flow.

  std::uint32_t threads = 1;     ///< That work on the run.
  std::uint32_t partitions = 0;  ///< run::RunOptions::partitions
  bool fast = false;             ///< run::RunOptions::fast

  /// Links that a packet crosses: veth, NIC, NIC, veth; between nodes only the NICs.
  std::int64_t links() const { return between_nodes ? 2 : 4; }
  /// Maximum of links(): between racks also leaf to spine and spine to leaf.
  std::int64_t most_links() const { return links() + (racks ? kLinksBetweenRacks : 0); }
  static constexpr std::int64_t kLinksBetweenRacks = 2;
};

/// Where a flow goes.
struct FlowNodes {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t pod = 0;  ///< Of both nodes.
};

/// Of each flow: those of a node go evenly to the other nodes.
std::vector<FlowNodes> flow_nodes(const Workload& workload);

/// Size and cost of one run of a workload.
struct Figures {
  std::int64_t packet_hops = 0;
  std::int64_t packets = 0;  ///< Wire packets delivered end to end, including acknowledgements.
  std::int64_t dropped = 0;  ///< TCP only; UDP must not lose packets.
  std::int64_t events = 0;
  std::int64_t byte_path_checked = 0;
  double prepare_seconds = 0;  ///< From the manifest to the states.
  double setup_seconds = 0;    ///< From the states to the first event.
  double loop_seconds = 0;
  double core_share = 0;  ///< CPU time over wall time of set-up and loop: less than 1 if disturbed.
  double peak_rss_mb = 0;  ///< Of the whole process.

  double events_per_packet() const;
  double packet_hops_per_second() const;  ///< In the loop only.
  double packets_per_second() const;
  double ns_per_packet() const;
};

/// The workloads of the engine benchmark, each without and with CPU costs. A workload makes at
/// least `least_hops` packet-hops, and its UDP flows send at least 100 datagrams each; only the
/// flows of flows-* send 4.
std::vector<Workload> standard_workloads(std::int64_t least_hops);

/// A gap at which `flows` flows of 1,000 bytes from `nodes` nodes use little of every resource: 9 %
/// of a NIC, about a third of a core.
Picos easy_gap(std::uint32_t flows, std::uint32_t nodes);

/// Runs the workload once. Fails unless all datagrams, or all bytes of the TCP streams, crossed all
/// their links and the byte path agreed: otherwise the times are meaningless.
Parsed<Figures> measure(const Workload& workload);

/// measure(), or measure_limit().
using Measure = Parsed<Figures> (*)(const Workload&);

}  // namespace overlane::bench

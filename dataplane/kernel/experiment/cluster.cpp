#include "dataplane/kernel/experiment/cluster.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"

namespace overlane::kernel {
namespace {

using Done = Result<void, std::string>;

/// Twice the waiting time of an experiment with one node (experiment.cpp), because packets pass two
/// nodes.
constexpr std::chrono::milliseconds kQuietCluster{20};

struct PodPort {
  std::uint32_t node = 0;
  Port port;
  PacketPort socket;
};

/// The namespaces of a cluster, with sockets at the pods' veths.
class ClusterRun {
 public:
  static Parsed<ClusterRun> make(const ClusterExperiment& experiment) {
    auto cluster = ClusterNamespaces::make(experiment.nodes, experiment.fabric);
    if (!cluster) return fail(cluster.error());
    ClusterRun made(*std::move(cluster));
    if (auto done = made.open(experiment); !done) return fail(done.error());
    return made;
  }

  Parsed<std::vector<Arrival>> send(const Launch& launch) const {
    const auto from = std::ranges::find_if(pods_, [&](const PodPort& pod) {
      return pod.node == launch.node && pod.port.device == launch.injection.device;
    });
    if (from == pods_.end()) return fail(fmt::format("no pod at {}", launch.injection.device));
    if (auto sent = from->socket.send(from->port.node_mac, launch.injection.packet); !sent)
      return fail(sent.error());
    std::vector<Arrival> arrivals;
    const auto take = [&] {
      take_waiting(arrivals);
      return arrivals.size();
    };
    collect(fds(), launch.injection.expected, kQuietCluster, take);
    return arrivals;
  }

 private:
  explicit ClusterRun(ClusterNamespaces cluster) : cluster_(std::move(cluster)) {}

  Done open(const ClusterExperiment& experiment) {
    const std::span<const FabricPort> ports = experiment.fabric.ports;
    for (std::size_t i = 0; i < experiment.nodes.size(); ++i) {
      if (auto done = open_pods(static_cast<std::uint32_t>(i), experiment.nodes[i]); !done)
        return done;
      if (auto done = make_ready(cluster_.node(i), ports[i].uplink); !done) return done;
      if (auto done = make_ready(cluster_.fabric(), ports[i].device); !done) return done;
    }
    return {};
  }

  Done open_pods(std::uint32_t i, const SetUp& set_up) {
    for (const Port& port : set_up.ports) {
      if (port.egress != forward::Egress::Pod) continue;
      auto socket = PacketPort::open(cluster_.world(i), port.device);
      if (!socket) return fail(socket.error());
      pods_.push_back({i, port, std::move(*socket)});
    }
    for (const Port& port : set_up.ports) {
      if (port.egress != forward::Egress::Pod) continue;
      for (const NetworkNamespace* end : {&cluster_.node(i), &cluster_.world(i)}) {
        if (auto done = make_ready(*end, port.device); !done) return done;
      }
    }
    return {};
  }

  std::vector<int> fds() const {
    std::vector<int> all;
    for (const PodPort& pod : pods_)
      all.push_back(pod.socket.fd());
    return all;
  }

  void take_waiting(std::vector<Arrival>& arrivals) const {
    for (const PodPort& pod : pods_) {
      while (auto frame = pod.socket.receive())
        arrivals.push_back({pod.node, pod.port.device, std::move(frame->packet)});
    }
  }

  ClusterNamespaces cluster_;
  std::vector<PodPort> pods_;
};

}  // namespace

Parsed<ClusterExperiment> make_cluster_experiment(std::span<const node::NodeState> nodes,
                                                  const node::FabricState& fabric,
                                                  std::vector<Launch> launches) {
  ClusterExperiment experiment{.launches = std::move(launches)};
  for (const node::NodeState& state : nodes)
    experiment.nodes.push_back(set_up(state));
  auto made = fabric_set_up(fabric, experiment.nodes);
  if (!made) return fail(made.error());
  experiment.fabric = *std::move(made);
  return experiment;
}

Parsed<std::vector<std::vector<Arrival>>> run(const ClusterExperiment& experiment) {
  const auto cluster = ClusterRun::make(experiment);
  if (!cluster) return fail(cluster.error());
  std::vector<std::vector<Arrival>> all;
  for (const Launch& launch : experiment.launches) {
    auto arrivals = cluster->send(launch);
    if (!arrivals) return fail(arrivals.error());
    all.push_back(*std::move(arrivals));
  }
  return all;
}

}  // namespace overlane::kernel

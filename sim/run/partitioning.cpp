#include "sim/run/partitioning.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "sim/run/estimate/work.h"

namespace overlane::run {
namespace {

/// Threads wait for each other behind each window. With 10 packets in each partition and window,
/// two threads of a quiet machine took 0.78 of the time of one (`overlane-bench-engine
/// routed-100`); with one packet, 1.45.
constexpr double kMinPackets = 20;

/// Whether connections begin while the run goes on, or one end's application waits for the other's.
bool opens_connections(const TrafficGroup& group) {
  return group.connections == Connections::PerRequest || group.transfer.has_value();
}

/// What keeps the nodes together; empty: nothing.
std::string tie(const Network& network, const std::vector<TrafficGroup>& traffic,
                const RunOptions& options) {
  if (network.nodes.size() < 2) return "there is one node";
  if (network.wire == cost::Wire::Veth) return "the nodes share one machine";
  if (network.paths.racks) return "links between racks have no latency of their own";
  if (std::ranges::any_of(traffic, opens_connections))
    return "connections begin and end while it lasts";
  if (options.trace != nullptr) return "packets are traced";
  if (options.series) return "a time series is recorded";
  return {};
}

/// Each node's flows, from it or to it.
std::vector<std::size_t> flows_of(const Network& network,
                                  const std::vector<TrafficGroup>& traffic) {
  std::vector<std::size_t> flows(network.nodes.size());
  for (const TrafficGroup& group : traffic)
    for (const PodPair& pair : group.pairs) {
      ++flows[pair.source.node];
      ++flows[pair.destination.node];
    }
  return flows;
}

/// Cuts the row of nodes where each partition has its share of the flows.
PartitionOfNode cut(const std::vector<std::size_t>& flows, std::uint32_t partitions) {
  std::size_t all = 0;
  for (const std::size_t of_node : flows)
    all += of_node;
  PartitionOfNode partition_of;
  std::size_t before = 0;
  for (const std::size_t of_node : flows) {
    const std::size_t middle = 2 * before + of_node;
    const std::size_t partition = all == 0 ? 0 : middle * partitions / (2 * all);
    partition_of.push_back(
        static_cast<std::uint16_t>(std::min<std::size_t>(partition, partitions - 1)));
    before += of_node;
  }
  return partition_of;
}

/// The least latency between nodes of two partitions.
Picos look_ahead(const Network& network, const RunOptions& options,
                 const PartitionOfNode& partition_of) {
  const Picos least = std::min(network.paths.within_zone, network.paths.across_zones);
  const bool may_change_zone = !options.changes.empty() || options.actors;
  if (may_change_zone) return least;
  std::map<std::string_view, std::uint16_t> partition_of_zone;
  for (std::size_t node = 0; node < partition_of.size(); ++node) {
    const std::string_view zone = node::zone_of(network.fabric, network.fabric.instances[node]);
    const auto [at, is_new] = partition_of_zone.try_emplace(zone, partition_of[node]);
    if (at->second != partition_of[node]) return least;
  }
  return network.paths.across_zones;
}

}  // namespace

Partitioning partition_nodes(const Network& network, const std::vector<TrafficGroup>& traffic,
                             const RunOptions& options) {
  Partitioning one{.of_node = PartitionOfNode(network.nodes.size())};
  const std::uint32_t wanted = options.partitions != 0 ? options.partitions : options.threads;
  if (wanted < 2) return one;
  one.reason = tie(network, traffic, options);
  if (!one.reason.empty()) return one;
  const std::vector<std::size_t> flows = flows_of(network, traffic);
  const double packets = estimate_work(network, traffic, options.duration).packets;
  for (auto count = static_cast<std::uint32_t>(std::min<std::size_t>(wanted, flows.size()));
       count > 1; --count) {
    Partitioning several{.of_node = cut(flows, count), .count = static_cast<std::uint16_t>(count)};
    several.look_ahead = look_ahead(network, options, several.of_node);
    if (several.look_ahead.count == 0) {
      one.reason = "there is no latency between nodes";
      continue;
    }
    const double in_window = packets * static_cast<double>(several.look_ahead.count) /
                             static_cast<double>(options.duration.count);
    if (options.partitions != 0 || in_window >= kMinPackets * count) return several;
    one.reason =
        fmt::format("there are only about {:.2g} packets in {} µs, the latency between nodes",
                    in_window, several.look_ahead.count / 1'000'000);
  }
  return one;
}

}  // namespace overlane::run

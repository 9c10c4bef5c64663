#include "sim/run/estimate/memory.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/run/app/flow.h"
#include "sim/run/decide/flow_cache.h"
#include "sim/run/path/packet_path.h"
#include "sim/run/path/receive_batch.h"

namespace overlane::run {
namespace {

// Measured, at 10 to 5,000 nodes: what a node's state takes besides tables that all share, of a pod
// on it, and of a node in a run (what it has learned, without connections).
constexpr std::int64_t kNodeState = 3500;
constexpr std::int64_t kPod = 270;
constexpr std::int64_t kNodeRuntime = 2500;
/// A node's stations, without its cores.
constexpr auto kNodeStations =
    static_cast<std::int64_t>(sizeof(Nic) + sizeof(Port) + sizeof(NodeCores) + sizeof(Station));
/// Both nodes' tables of connections, for each flow.
constexpr std::int64_t kConnection = 512;
/// The least that the segments of a stream carry where its window is full.
constexpr std::int64_t kSegmentPayload = 1200;
/// The most of them that one socket buffer holds, and of those that small queues let a stream have
/// in its host.
constexpr std::int64_t kSegmentsOfBuffer = kMaxBufferPayload / kSegmentPayload;
constexpr std::int64_t kBuffersOfStream = 2;

/// A TCP timer that was set again stays among the events until its first time has come: for the
/// least timeout of a segment (RTO_MIN), 1.5 of them for each request.
constexpr Picos kTimerLife = milliseconds(200);
constexpr std::int64_t kTimersOfRequest = 36;

/// A leaf's link to a spine and back.
constexpr std::int64_t kWaysOfLink = 2;

constexpr std::int64_t kFlight = sizeof(Packet) + sizeof(transport::Segment);
/// With the headers of packets in a tunnel and out of it.
constexpr std::int64_t kTrail =
    sizeof(FlowCacheEntry) + sizeof(FlowCacheHeaders) + 2 * sizeof(forward::Packet);

std::int64_t flows_of(const TrafficGroup& group) {
  return static_cast<std::int64_t>(group.pairs.size() * group.flows_per_pair);
}

std::set<std::uint32_t> sending_nodes(const TrafficGroup& group) {
  std::set<std::uint32_t> nodes;
  for (const PodPair pair : group.pairs)
    nodes.insert(pair.source.node);
  return nodes;
}

/// Bits per second that the NICs of a group's senders carry together.
double nic_rates(const Network& network, const TrafficGroup& group) {
  double rates = 0;
  for (const std::uint32_t node : sending_nodes(group))
    rates += static_cast<double>(network.machines[node].nic_rate.count);
  return rates;
}

/// Packets of one flow that may be on their way, as far as its sender goes.
std::int64_t most_in_flight(const Network& network, const TrafficGroup& group) {
  switch (group.kind) {
    case model::TrafficKind::Udp:
      if (!network.costs &&
          static_cast<double>(flows_of(group)) * static_cast<double>(group.rate.count) <
              nic_rates(network, group))
        return 2;
      return kSocketBuffer / (kSocketBufferOverhead + group.payload_bytes) + 1;
    case model::TrafficKind::Tcp:
      return group.window_bytes / kSegmentPayload + 1;
    case model::TrafficKind::RequestResponse:
      return (group.request_bytes + group.response_bytes) / kSegmentPayload + 2;
  }
  return 1;
}

/// Timer events of a group with one request at a time on each flow, as fast as path and NICs allow.
std::int64_t timers(const Network& network, const TrafficGroup& group, Picos duration) {
  if (group.kind != model::TrafficKind::RequestResponse || group.over_udp) return 0;
  const auto flows = static_cast<double>(flows_of(group));
  const Picos turn = network.paths.within_zone * 2 + group.think_time;
  const double bits = 8.0 * (group.request_bytes + group.response_bytes);
  const double per_second =
      std::min(flows * 1e12 / static_cast<double>(std::max<std::int64_t>(turn.count, 1)),
               nic_rates(network, group) / bits);
  const auto seconds = static_cast<double>(std::min(duration, kTimerLife).count) / 1e12;
  return static_cast<std::int64_t>(per_second * seconds) * kTimersOfRequest;
}

std::size_t rack_count(const Network& network) {
  return fabric::RackPlan(*network.paths.racks, network.fabric, 0).count();
}

/// Packets that the queues of the nodes with traffic, and of the links between as many racks, hold.
std::int64_t queue_room(const Network& network, const std::vector<TrafficGroup>& traffic) {
  std::map<std::uint32_t, std::int64_t> streams;  // Streams that each node sends.
  for (const TrafficGroup& group : traffic) {
    for (const PodPair pair : group.pairs) {
      const bool is_stream = group.kind == model::TrafficKind::Tcp;
      streams[pair.source.node] += is_stream ? group.flows_per_pair : 0;
      streams[pair.destination.node];
    }
  }
  std::int64_t room = 0;
  for (const auto& [node, sent] : streams) {
    const host::Machine& machine = network.machines[node];
    const std::int64_t buffers = machine.offloads.gso ? sent * kBuffersOfStream : 0;
    const std::int64_t queue = machine.nic_queue_packets;
    room += std::max(queue, std::min(buffers, queue) * kSegmentsOfBuffer);
    room += network.paths.port_queue_packets;
    if (network.costs) room += std::int64_t{machine.cores} * machine.receive_ring_packets;
  }
  if (const auto& racks = network.paths.racks) {
    const std::size_t busy = std::min<std::size_t>(rack_count(network), streams.size());
    room += kWaysOfLink * racks->spines * racks->queue_packets * static_cast<std::int64_t>(busy);
  }
  return room;
}

}  // namespace

Bytes estimate_memory(const Network& network, const std::vector<TrafficGroup>& traffic,
                      Picos duration) {
  std::int64_t bytes = 0;
  for (const node::NodeState& node : network.nodes)  // The run has states of its own.
    bytes += static_cast<std::int64_t>(node.pods.size() * sizeof(node::LocalPod));
  for (const host::Machine& machine : network.machines) {
    bytes += kNodeRuntime + kNodeStations +
             static_cast<std::int64_t>(machine.cores * (sizeof(Station) + sizeof(ReceiveQueue)));
  }
  if (const auto& racks = network.paths.racks) {
    bytes += static_cast<std::int64_t>(rack_count(network) * sizeof(Station)) * racks->spines *
             kWaysOfLink;
  }
  std::int64_t packets = 0;
  std::int64_t flow_cache = 0;
  for (const TrafficGroup& group : traffic) {
    const bool streams = group.uses_tcp();
    const auto sockets =
        static_cast<std::int64_t>(sizeof(Flow) + sizeof(Endpoint) + 2 * SocketTable::kBytes +
                                  (group.kind == model::TrafficKind::Udp ? 0 : sizeof(Exchange)) +
                                  (streams ? 2 * (sizeof(TcpSocket) + sizeof(void*)) : 0));
    bytes += flows_of(group) * (sockets + kConnection);
    packets += flows_of(group) * most_in_flight(network, group);
    bytes += timers(network, group, duration);
    flow_cache += flows_of(group) * (streams ? 2 : 1);
  }
  bytes += std::min<std::int64_t>(flow_cache, FlowCache::kMaxEntries) * kTrail;
  bytes += std::min(packets, queue_room(network, traffic)) * kFlight;
  return {bytes};
}

Bytes estimate_memory(const Network& network) {
  std::int64_t bytes = 0;
  for (const node::NodeState& node : network.nodes)
    bytes += kNodeState + static_cast<std::int64_t>(node.pods.size()) * kPod;
  return {bytes};
}

}  // namespace overlane::run

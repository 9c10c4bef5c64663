#include "sim/run/estimate/estimates.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <span>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/reference/tunnel_headers.h"
#include "dataplane/wire/transport.h"
#include "sim/cost/path_cost.h"
#include "sim/run/app/flow.h"
#include "sim/run/decide/flow_cache.h"
#include "sim/run/path/packet_path.h"
#include "sim/run/path/receive_queues.h"
#include "sim/transport/segment.h"

namespace overlane::run {
namespace {

// Bytes, measured at 10 to 5,000 nodes: a node's state without shared tables, a pod on a node, and
// a node in a run (its learned state without connections).
constexpr std::int64_t kNodeState = 3500;
constexpr std::int64_t kPod = 270;
constexpr std::int64_t kNodeRuntime = 2500;
/// Bytes of a node's stations, without its cores.
constexpr auto kNodeStations =
    static_cast<std::int64_t>(sizeof(Nic) + sizeof(Port) + sizeof(NodeCores) + sizeof(Station));
/// Bytes per flow in the connection tables of both nodes.
constexpr std::int64_t kConnection = 512;
/// Smallest payload of a stream's segments when its window is full, in bytes.
constexpr std::int64_t kSegmentPayload = 1200;
/// Segments in one socket buffer, and buffers that TCP small queues let a stream have in its host.
constexpr std::int64_t kSegmentsOfBuffer = kMaxBufferPayload / kSegmentPayload;
constexpr std::int64_t kBuffersOfStream = 2;

/// A superseded TCP timer stays in the event queue until its original time, at least RTO_MIN after
/// it was set. A request leaves 1.5 of them: kTimersOfRequest bytes.
constexpr Picos kTimerLife = milliseconds(200);
constexpr std::int64_t kTimersOfRequest = 36;

/// Links between a leaf and a spine, one per direction.
constexpr std::int64_t kWaysOfLink = 2;

constexpr std::int64_t kFlight = sizeof(Packet) + sizeof(transport::Segment);
/// Bytes of a cache entry with two headers, for packets inside and outside a tunnel.
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

/// Sum of the NIC rates of a group's senders, in bits per second.
double nic_rates(const Network& network, const TrafficGroup& group) {
  double rates = 0;
  for (const std::uint32_t node : sending_nodes(group))
    rates += static_cast<double>(network.machines[node].nic_rate.count);
  return rates;
}

/// Packets of one flow that its sender may have in flight.
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

/// Bytes of Timer events of a group with one request at a time on each flow, as fast as path and
/// NICs allow.
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

/// Packets that fit the queues of the nodes with traffic and of the links of as many racks.
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
  for (const node::NodeState& node : network.nodes)  // The run copies the states.
    bytes += static_cast<std::int64_t>(node.pods.size() * sizeof(node::LocalPod));
  for (const host::Machine& machine : network.machines) {
    bytes += kNodeRuntime + kNodeStations +
             static_cast<std::int64_t>(machine.cores * (sizeof(Core) + sizeof(ReceiveQueue)));
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

namespace {

using forward::IpFields;
using transport::Segment;

constexpr std::uint8_t kLargestScale = 14;  // RFC 7323 2.3.
constexpr std::int64_t kLargestWindow = 65'535;

std::uint32_t milliseconds_of(Picos time) {
  return static_cast<std::uint32_t>(time.count / milliseconds(1).count);
}

/// Sequence number of a stream's byte: the SYN takes the number before the first byte.
std::uint32_t number(std::uint32_t syn, std::int64_t byte) {
  return syn + 1 + static_cast<std::uint32_t>(byte);
}

wire::TcpHeader tcp_header(const forward::Packet& packet, const Segment& segment,
                           TcpNumbering numbering) {
  const std::int64_t window =
      segment.syn ? segment.window : segment.window >> numbering.window_scale;
  wire::TcpHeader header{
      .source_port = packet.source_port,
      .destination_port = packet.destination_port,
      .sequence = segment.syn ? numbering.sequence : number(numbering.sequence, segment.sequence),
      .acknowledgement = segment.ack ? number(numbering.acknowledgement, segment.acknowledges) : 0,
      .flags = packet.tcp_flags,
      .window = static_cast<std::uint16_t>(std::min(window, kLargestWindow)),
      .timestamps =
          wire::TcpTimestamps{milliseconds_of(segment.timestamp), milliseconds_of(segment.echo)}};
  if (segment.rst) header.timestamps.reset();
  if (segment.syn) {
    header.mss = segment.mss;
    header.sack_permitted = true;
    header.window_scale = numbering.window_scale;
  }
  for (std::size_t i = 0; i < segment.sack.size(); ++i) {
    header.sack_blocks[i] = {number(numbering.acknowledgement, segment.sack[i].begin),
                             number(numbering.acknowledgement, segment.sack[i].end)};
  }
  header.sack_block_count = static_cast<std::uint8_t>(segment.sack.size());
  return header;
}

void sum(const IpFields& fields, std::span<std::uint8_t> segment, std::size_t at) {
  store_be16(segment.data() + at, 0);
  const std::uint16_t checksum =
      transport_checksum(fields.source, fields.destination, fields.protocol, segment);
  const bool zero_means_none = fields.protocol == forward::kUdp && checksum == 0;
  store_be16(segment.data() + at, zero_means_none ? std::uint16_t{0xffff} : checksum);
}

/// The whole tunnel packet of which `packet` is a fragment.
forward::Packet unfragmented(forward::Packet packet) {
  if (!packet.is_encapsulated() || !packet.outer.is_fragment()) return packet;
  packet.outer.more_fragments = false;
  packet.outer.fragment_offset = 0;
  const std::size_t headers =
      reference::tunnel_header_bytes(packet.encapsulation, !packet.outer.is_ipv4());
  packet.outer.total_length = static_cast<std::uint32_t>(headers) + packet.inner.total_length;
  return packet;
}

}  // namespace

std::uint8_t window_scale(std::int64_t window_bytes) {
  std::uint8_t scale = 0;
  while (scale < kLargestScale && window_bytes >> scale > kLargestWindow)
    ++scale;
  return scale;
}

std::vector<std::uint8_t> wire_bytes(const forward::Packet& packet, const Segment* segment,
                                     TcpNumbering numbering) {
  constexpr std::size_t kTcpChecksum = 16;
  constexpr std::size_t kUdpChecksum = 6;
  // The inner packet of a WireGuard fragment is not visible.
  const bool is_sealed_fragment =
      packet.encapsulation == Encapsulation::Wireguard && packet.outer.is_fragment();
  if (segment == nullptr || is_sealed_fragment) return reference::encode(packet);
  const forward::Packet whole = unfragmented(packet);
  std::vector<std::uint8_t> bytes = reference::encode(whole);
  assert(bytes.size() >= whole.inner.total_length);
  const std::size_t inner_at =
      reference::tunnel_header_bytes(whole.encapsulation, !whole.outer.is_ipv4());
  const std::span<std::uint8_t> tcp = std::span(bytes)
                                          .subspan(inner_at, whole.inner.total_length)
                                          .subspan(whole.inner.header_bytes());
  wire::write(tcp_header(packet, *segment, numbering), tcp);
  sum(whole.inner, tcp, kTcpChecksum);
  if (!whole.is_encapsulated()) return bytes;
  const std::size_t outer_header = whole.outer.header_bytes();
  if (whole.outer.protocol == forward::kUdp)
    sum(whole.outer, std::span(bytes).subspan(outer_header), kUdpChecksum);
  if (!packet.outer.is_fragment()) return bytes;
  std::vector<std::uint8_t> fragment = reference::encode(packet);
  const auto from =
      bytes.begin() + static_cast<std::ptrdiff_t>(outer_header) + packet.outer.fragment_offset;
  std::copy_n(from, packet.outer.payload_bytes(),
              fragment.begin() + static_cast<std::ptrdiff_t>(packet.outer.header_bytes()));
  return fragment;
}

namespace {

/// A delayed acknowledgement answers two segments (RFC 9293 3.8.6.3).
constexpr double kPacketsOfSegment = 1.5;
/// Packets of a connection without payload: handshake, a FIN in both directions, their
/// acknowledgements.
constexpr double kPacketsOfConnection = 6;

double in_seconds(double picos) {
  return picos / 1e12;
}
double in_seconds(Picos time) {
  return in_seconds(static_cast<double>(time.count));
}

double flow_count_of(const TrafficGroup& group) {
  return static_cast<double>(group.pairs.size()) * group.flows_per_pair;
}

double segments_of(double bytes, const Network& network) {
  return std::max(1.0,
                  bytes / (network.fabric.mtu - transport::kTcpOverhead - transport::kIpv4Header));
}

/// Sum of the NIC rates on one side of all pairs, in bits per second.
double nic_rates(const Network& network, const TrafficGroup& group, PodEnd PodPair::*side) {
  std::map<std::uint32_t, double> rates;
  for (const PodPair pair : group.pairs) {
    const std::uint32_t node = (pair.*side).node;
    rates[node] = static_cast<double>(network.machines[node].nic_rate.count);
  }
  double sum = 0;
  for (const auto& [node, rate] : rates)
    sum += rate;
  return sum;
}

/// nic_rates(), but nodes that talk only to other racks have at most the rate of their leaf's
/// links.
double carried_rates(const Network& network, const TrafficGroup& group, PodEnd PodPair::*side) {
  const double all = nic_rates(network, group, side);
  if (!network.paths.racks) return all;
  const fabric::Racks& racks = *network.paths.racks;
  const fabric::RackPlan plan(racks, network.fabric, 0);
  std::map<std::uint32_t, bool> leaves;  // Whether all pairs of a node lead to other racks.
  for (const PodPair pair : group.pairs) {
    bool& node_leaves = leaves.try_emplace((pair.*side).node, true).first->second;
    node_leaves &= !plan.share_rack(pair.source.node, pair.destination.node);
  }
  std::map<std::uint32_t, double> of_rack;
  for (const auto& [node, node_leaves] : leaves)
    if (node_leaves)
      of_rack[plan.rack_of(node)] += static_cast<double>(network.machines[node].nic_rate.count);
  const double most = static_cast<double>(racks.uplink.count) * racks.spines;
  double too_much = 0;
  for (const auto& [rack, rate] : of_rack)
    too_much += std::max(0.0, rate - most);
  return all - too_much;
}

/// Seconds of a core for a packet of `bytes`, sending or receiving, whichever takes longer. 0
/// without CPU costs.
double core_seconds(const Network& network, const TrafficGroup& group, std::int64_t bytes,
                    cost::Arrival arrival) {
  if (!network.costs || group.pairs.empty()) return 0;
  const host::Machine& machine = network.machines[group.pairs.front().source.node];
  const cost::PathCosts costs(*network.costs, network.datapath, machine.offloads);
  return in_seconds(std::max(costs.send(Encapsulation::None).of(bytes, arrival),
                             costs.receive(Encapsulation::None).of(bytes, arrival)));
}

/// Packets per second of a UDP group.
double datagrams(const Network& network, const TrafficGroup& group) {
  double on = 1;
  if (group.on) {
    const auto sends = static_cast<double>(group.on->mean());
    on = sends / (sends + static_cast<double>(group.off->mean()));
  }
  double per_flow = static_cast<double>(group.rate.count) * on / 8 / group.payload_bytes;
  if (const double time = core_seconds(network, group, group.payload_bytes, cost::Arrival::Alone);
      time > 0)
    per_flow = std::min(per_flow, 1 / time);
  const double fragments =
      group.dont_fragment ? 1 : std::max(1.0, 1.0 * group.payload_bytes / network.fabric.mtu);
  const double most = nic_rates(network, group, &PodPair::source) / 8 / group.payload_bytes;
  return std::min(flow_count_of(group) * per_flow, most) * fragments;
}

double stream_packets(const Network& network, const TrafficGroup& group) {
  const double flows = flow_count_of(group);
  const double round_trip = std::max(in_seconds(network.paths.within_zone * 2), 1e-6);
  double bits = std::min(carried_rates(network, group, &PodPair::source),
                         carried_rates(network, group, &PodPair::destination));
  bits = std::min(bits, flows * 8 * static_cast<double>(group.window_bytes) / round_trip);
  if (const auto& cap = network.limits.single_flow)
    bits = std::min(bits, flows * static_cast<double>(cap->count));
  double segments = bits / 8 / network.fabric.mtu;
  if (const double time =
          core_seconds(network, group, network.fabric.mtu, cost::Arrival::SharesBuffer);
      time > 0)
    segments = std::min(segments, flows / time);
  if (!group.transfer || !group.gap) return segments * kPacketsOfSegment;
  const double transfers =
      flows / (in_seconds(static_cast<double>(group.gap->mean())) + round_trip);
  const double each = segments_of(static_cast<double>(group.transfer->mean()), network);
  return std::min(segments * kPacketsOfSegment,
                  transfers * (each * kPacketsOfSegment + kPacketsOfConnection));
}

/// Packets of a message with their acknowledgements. The next message acknowledges a message of one
/// segment.
double message_packets(double bytes, const Network& network) {
  const double segments = segments_of(bytes, network);
  return segments > 1 ? segments * kPacketsOfSegment : 1;
}

double request_packets(const Network& network, const TrafficGroup& group) {
  if (group.pairs.empty()) return 0;
  const double each = message_packets(group.request_bytes, network) +
                      message_packets(group.response_bytes, network);
  const double connection = group.connections == Connections::PerRequest ? kPacketsOfConnection : 0;
  const Picos turn = network.paths.within_zone * 2 + group.think_time;
  const double asking = carried_rates(network, group, &PodPair::source) / 8 / group.request_bytes;
  const double answering =
      carried_rates(network, group, &PodPair::destination) / 8 / group.response_bytes;
  const Bytes both{std::int64_t{group.request_bytes} + group.response_bytes};
  const Picos wire =
      serialization_time(both, network.machines[group.pairs.front().source.node].nic_rate);
  const double time = in_seconds(turn + wire) +
                      2 * core_seconds(network, group, group.response_bytes, cost::Arrival::Alone);
  const double requests = flow_count_of(group) / std::max(time, 1e-6);
  return std::min({requests, asking, answering}) * (each + connection);
}

double packets_per_second(const Network& network, const TrafficGroup& group) {
  switch (group.kind) {
    case model::TrafficKind::Udp:
      return datagrams(network, group);
    case model::TrafficKind::Tcp:
      return stream_packets(network, group);
    case model::TrafficKind::RequestResponse:
      return request_packets(network, group);
  }
  return 0;
}

/// Packets of a group whose flows make one transfer each.
double packets_of_all_transfers(const Network& network, const TrafficGroup& group) {
  return flow_count_of(group) *
         (segments_of(static_cast<double>(group.transfer->mean()), network) * kPacketsOfSegment +
          kPacketsOfConnection);
}

/// Whether the group sends at most half of its NICs' rate, so that nothing holds its senders back.
bool is_open_loop(const Network& network, const TrafficGroup& group) {
  const double rate = flow_count_of(group) * static_cast<double>(group.rate.count);
  return group.kind == model::TrafficKind::Udp && !group.on && !network.costs &&
         rate < nic_rates(network, group, &PodPair::source) / 2;
}

}  // namespace

Work estimate_work(const Network& network, const std::vector<TrafficGroup>& traffic, Picos end) {
  Work work;
  for (const TrafficGroup& group : traffic) {
    double packets = packets_per_second(network, group) * in_seconds(end);
    if (group.transfer && !group.gap)
      packets = std::min(packets, packets_of_all_transfers(network, group));
    work.packets += packets;
    if (is_open_loop(network, group)) work.sure_packets += packets;
  }
  return work;
}

}  // namespace overlane::run

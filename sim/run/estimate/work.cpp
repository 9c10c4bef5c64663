#include "sim/run/estimate/work.h"

#include <algorithm>
#include <map>

#include "sim/cost/path_cost.h"
#include "sim/transport/segment.h"

namespace overlane::run {
namespace {

/// A delayed acknowledgement answers two segments (RFC 9293 3.8.6.3).
constexpr double kPacketsOfSegment = 1.5;
/// Of a connection without its payload: handshake, FIN both ways and what acknowledges it.
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

/// Bits per second that the NICs of one side of all pairs carry together.
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

/// The same as far as uplinks let it through: of nodes that talk to other racks only, no more than
/// their leaf's links carry.
double carried_rates(const Network& network, const TrafficGroup& group, PodEnd PodPair::*side) {
  const double all = nic_rates(network, group, side);
  if (!network.paths.racks) return all;
  const fabric::Racks& racks = *network.paths.racks;
  const fabric::RackPlan plan(racks, network.fabric, 0);
  std::map<std::uint32_t, bool> leaves;  // Whether all pairs of a node do.
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

/// Seconds that a core takes for a packet of this size at its fastest, as one of a large buffer, on
/// the way that takes longer. 0 where CPU time is free.
double core_seconds(const Network& network, const TrafficGroup& group, std::int64_t bytes,
                    cost::Arrival arrival) {
  if (!network.costs || group.pairs.empty()) return 0;
  const host::Machine& machine = network.machines[group.pairs.front().source.node];
  const cost::PathCosts costs(*network.costs, network.datapath, machine.offloads);
  return in_seconds(std::max(costs.send(Encapsulation::None).of(bytes, arrival),
                             costs.receive(Encapsulation::None).of(bytes, arrival)));
}

/// Packets per second, as the following.
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

/// With their acknowledgements: of a message in one segment the next message is that.
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

/// Of transfers that are not repeated.
double packets_of_all_transfers(const Network& network, const TrafficGroup& group) {
  return flow_count_of(group) *
         (segments_of(static_cast<double>(group.transfer->mean()), network) * kPacketsOfSegment +
          kPacketsOfConnection);
}

/// Whether nothing holds a group's senders up: half of what their NICs carry.
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

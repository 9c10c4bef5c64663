#include "sim/run/observe/series.h"

#include <algorithm>
#include <span>
#include <utility>

namespace overlane::run {
namespace {

/// Bytes of frames that a link takes this long for.
std::int64_t bytes_within(Picos time, BitsPerSecond rate) {
  constexpr std::int64_t kBytePicos = 8'000'000'000'000;  // At 1 bit/s.
  if (time.count <= 0) return 0;
  return static_cast<std::int64_t>(WideInteger{time.count} * rate.count / kBytePicos);
}

}  // namespace

SeriesRecorder::SeriesRecorder(const Network& network, const std::vector<TrafficGroup>& traffic,
                               const SeriesOptions& options, PacketPath& path,
                               const Accounts& accounts)
    : network_(network),
      options_(options),
      path_(path),
      accounts_(accounts),
      before_(traffic.size()),
      busy_before_(network.nodes.size()),
      fullest_(network.nodes.size()) {
  for (const TrafficGroup& group : traffic)
    series_.traffic.push_back({.name = group.name});
  if (!options.each_node) return;
  for (const node::NodeState& node : network.nodes)
    series_.each_node.push_back({.name = node.member().name});
}

void SeriesRecorder::look(std::uint32_t node, Picos now) {
  const core::FifoServer& nic = path_.nics().server(node);
  Fullest& fullest = fullest_[node];
  const auto raise = [](std::int64_t& most, std::int64_t value) { most = std::max(most, value); };
  raise(fullest.nic_packets, nic.present(now));
  raise(fullest.nic_bytes, bytes_within(nic.free_at() - now, network_.machines[node].nic_rate));
  raise(fullest.port_packets, path_.ports()[node].station.server.present(now));
  raise(fullest.ring_packets, path_.fullest_receive_queue(node));
}

void SeriesRecorder::close(Picos now) {
  if (now <= begun_) return;
  series_.end_ns.push_back(now.whole_nanoseconds());
  for (std::size_t group = 0; group < before_.size(); ++group)
    close_traffic(group, now - begun_);
  close_nodes(now);
  begun_ = now;
}

void SeriesRecorder::close_traffic(std::size_t group, Picos length) {
  const Accounts::Group& counted = accounts_.group(group);
  Before& before = before_[group];
  model::TrafficSeries& series = series_.traffic[group];
  const auto rate = [&](std::int64_t bytes) { return mean_rate(Bytes{bytes}, length).count; };
  series.throughput_bps.push_back(rate(counted.ip_bytes - before.ip_bytes));
  series.goodput_bps.push_back(rate(counted.payload_bytes - before.payload_bytes));
  series.sent.push_back(counted.packets.sent - before.sent);
  series.delivered.push_back(counted.packets.delivered - before.delivered);
  for (const DropFacts& reason : kDrops) {
    const std::int64_t dropped = counted.drops[reason.drop] - before.drops[reason.drop];
    const auto known = series.drops.find(reason.drop);
    if (dropped == 0 && known == series.drops.end()) continue;
    std::vector<std::int64_t>& counts = series.drops[reason.drop];
    counts.resize(series_.end_ns.size());  // Zeros until it first occurred.
    counts.back() = dropped;
  }
  before = {counted.ip_bytes, counted.payload_bytes, counted.packets.sent,
            counted.packets.delivered, counted.drops};
}

/// The share of the node's CPU time in the current interval that its cores were busy, in ppm.
std::int64_t SeriesRecorder::busy_ppm(std::uint32_t node, Picos now) {
  Picos busy;
  const std::span<const Station> cores = path_.cpu()[node].cores;
  for (const Station& core : cores)
    busy += core.server.busy_since_start(now);
  const Picos before = std::exchange(busy_before_[node], busy);
  const WideInteger available =
      WideInteger{(now - begun_).count} * static_cast<std::int64_t>(cores.size());
  // What RPS has handed to an idle core for later makes it look less busy until then.
  const WideInteger fresh = std::max<std::int64_t>((busy - before).count, 0);
  return static_cast<std::int64_t>(fresh * 1'000'000 / available);
}

void SeriesRecorder::add(model::NodeSeries& series, const Fullest& fullest) {
  series.nic_packets.push_back(fullest.nic_packets);
  series.nic_bytes.push_back(fullest.nic_bytes);
  series.ring_packets.push_back(fullest.ring_packets);
  series.port_packets.push_back(fullest.port_packets);
}

void SeriesRecorder::close_nodes(Picos now) {
  Fullest most;
  std::int64_t sum_ppm = 0;
  std::int64_t max_ppm = 0;
  for (std::uint32_t node = 0; node < fullest_.size(); ++node) {
    const Fullest of_node = std::exchange(fullest_[node], {});
    look(node, now);  // What stays in them begins the next interval.
    most = {std::max(most.nic_packets, of_node.nic_packets),
            std::max(most.nic_bytes, of_node.nic_bytes),
            std::max(most.ring_packets, of_node.ring_packets),
            std::max(most.port_packets, of_node.port_packets)};
    if (options_.each_node) add(series_.each_node[node], of_node);
    if (!network_.costs) continue;
    const std::int64_t ppm = busy_ppm(node, now);
    sum_ppm += ppm;
    max_ppm = std::max(max_ppm, ppm);
    if (options_.each_node) series_.each_node[node].cpu_ppm.push_back(ppm);
  }
  add(series_.nodes, most);
  if (RackLinks* racks = path_.fabric().racks())
    series_.rack_link_packets.push_back(racks->take_fullest(now));
  if (!network_.costs) return;
  series_.nodes.cpu_ppm.push_back(sum_ppm / static_cast<std::int64_t>(fullest_.size()));
  series_.nodes.cpu_max_ppm.push_back(max_ppm);
}

}  // namespace overlane::run

#include "sim/run/observe/observers.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "sim/run/app/flow.h"
#include "sim/run/path/stations.h"

namespace overlane::run {

PacketTracer::PacketTracer(const TraceOptions& options, const core::Scheduler& scheduler,
                           const FlowTable& flows, PacketPath& path)
    : options_(options), scheduler_(scheduler), flows_(flows), path_(path) {}

bool PacketTracer::follows(EndpointId end) const {
  const Flow& flow = flows_.flow_of(end);
  return options_.follows(flow.group, flow.number);
}

void PacketTracer::before(const core::Event& scheduled) {
  const StationEvent event = StationEvent::of(scheduled);
  visit_station(event.kind, [&](auto station) {
    if (const QueuedPackets polled = station.queued(path_, event); polled.packets > 0)
      return see_queued(*polled.queue, polled.packets);
    const PacketId id = station.first(path_, event);
    if (id == kNone) return;
    if (path_.packets().is_read(id)) return see_read(id);
    if (const auto stop = station.stop(path_, event))
      show(id, stop->point, {}, stop->switch_number);
  });
}

/// Shows the first packets of a queue, which the event takes out of the queue.
void PacketTracer::see_queued(const Pipe& queue, std::uint32_t packets) {
  PacketId id = queue.first();
  for (; packets > 0; --packets) {
    see(id, TracePoint::Polled);
    id = path_.packets()[id].next;
  }
}

void PacketTracer::show(PacketId id, TracePoint stop, std::optional<Drop> drop,
                        std::uint32_t switch_number) {
  const Packet& packet = path_.packets()[id];
  if (!follows(packet.sender)) return;
  const Flow& flow = flows_.flow_of(packet.sender);
  Followed& followed = followed_[id];
  const Picos now = scheduler_.now();
  const bool is_new = followed.packet == 0;
  if (is_new) followed.packet = ++packets_;
  const Picos waited = is_new ? Picos{} : now - followed.seen_at;
  followed.seen_at = now;
  // A packet that was dropped before it was sent may have no header.
  std::optional<forward::Packet> header;
  if (packet.header != kNone || packet.cache_entry != kNone)
    header = path_.decisions().header(packet);
  options_.see({.stop = stop,
                .at = now,
                .waited = waited,
                .group = flow.group,
                .flow = flow.number,
                .end = packet.sender,
                .backward = packet.sender % 2 == 1,
                .packet = followed.packet,
                .node = packet.node,
                .core = packet.core,
                .switch_number = switch_number,
                .on_node = stop == TracePoint::Sent ? flows_.is_on_node(packet.sender)
                                                    : packet.egress == forward::Egress::Host,
                .bytes = packet.length,
                .header = header ? &*header : nullptr,
                .segment = packet.is_tcp ? &path_.packets().segment(id) : nullptr,
                .sender = stop == TracePoint::Sent ? state_of(packet.sender) : std::nullopt,
                .drop = drop});
}

void PacketTracer::see_last(PacketId id, TracePoint stop, std::optional<Drop> drop) {
  show(id, stop, drop, 0);
  followed_.erase(id);
}

void PacketTracer::see_read(PacketId id) {
  const Read read = path_.packets().read(id);
  if (!follows(read.reader)) return;
  const Flow& flow = flows_.flow_of(read.reader);
  options_.see({.stop = TracePoint::Read,
                .at = scheduler_.now(),
                .group = flow.group,
                .flow = flow.number,
                .end = read.reader,
                .backward = read.reader % 2 == 1,
                .node = path_.packets()[id].node,
                .on_node = flows_.is_on_node(read.reader),
                .bytes = read.bytes});
}

std::optional<SenderState> PacketTracer::state_of(EndpointId end) const {
  const transport::TcpConnection* tcp = flows_.tcp_of(end);
  if (tcp == nullptr) return std::nullopt;
  return SenderState{.congestion_window = tcp->congestion_window(),
                     .in_flight = tcp->in_flight(),
                     .smoothed_rtt = tcp->smoothed_rtt(),
                     .retransmissions = tcp->retransmissions()};
}

namespace {

/// Bytes of frames that a link at `rate` sends within `time`.
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
    counts.resize(series_.end_ns.size());  // Zeros for the intervals before the first drop.
    counts.back() = dropped;
  }
  before = {counted.ip_bytes, counted.payload_bytes, counted.packets.sent,
            counted.packets.delivered, counted.drops};
}

/// The share of the node's CPU time in the current interval that its cores were busy, in ppm.
std::int64_t SeriesRecorder::busy_ppm(std::uint32_t node, Picos now) {
  Picos busy;
  const std::span<const Core> cores = path_.cpu()[node].cores;
  for (const Station& core : cores)
    busy += core.server.busy_since_start(now);
  const Picos before = std::exchange(busy_before_[node], busy);
  const WideInteger available =
      WideInteger{(now - begun_).count} * static_cast<std::int64_t>(cores.size());
  // Work that RPS has scheduled on an idle core for later is not counted yet.
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
    look(node, now);  // Packets that stay in the queues begin the next interval.
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

namespace {

constexpr Picos kMin = milliseconds(1);

}  // namespace

InterruptionRecorder::InterruptionRecorder(const FlowTable& flows, const core::Scheduler& scheduler,
                                           Border& border)
    : flows_(flows), scheduler_(scheduler), border_(border) {
  for (const Flow& flow : flows.all()) {
    flows_of_group_.resize(std::max<std::size_t>(flows_of_group_.size(), flow.group + 1));
    ++flows_of_group_[flow.group];
  }
}

EndpointId InterruptionRecorder::receiver_of(const Packet& packet) const {
  return flows_.origin_of(packet.sender / 2) * 2 + (packet.sender % 2 ^ 1);
}

void InterruptionRecorder::see_lost(const Packet& packet, Drop reason) {
  if (!has_seen_change_ || packet.is_icmp || facts(reason).is_congestion) return;
  const PacketFate lost{receiver_of(packet), packet.sent_at, scheduler_.now(), Fate::Lost};
  if (is_beyond(lost.receiver))
    border_.mail_to(flows_.end(lost.receiver).node).lost.push_back(lost);
  else
    note(lost);
}

/// With one partition, all earlier packet fates are known when a fate is noted.
void InterruptionRecorder::note(const PacketFate& fate) {
  if (!border_.is_open() && !fates_.empty() && fates_.back().at < fate.at) settle();
  fates_.push_back(fate);
}

void InterruptionRecorder::settle() {
  const auto is_lost = [](const PacketFate& fate) { return fate.fate == Fate::Lost; };
  if (!silent_.empty() || std::ranges::any_of(fates_, is_lost)) {
    std::ranges::sort(fates_, {}, [](const PacketFate& fate) {
      return std::tuple(fate.at, fate.fate, fate.sent_at);
    });
    for (const PacketFate& fate : fates_) {
      if (is_lost(fate))
        silent_.try_emplace(fate.receiver, Silence{fate.sent_at}).first->second.has_lost = true;
      else
        end_silence(fate);
    }
  }
  fates_.clear();
}

void InterruptionRecorder::see_affected(const AffectedEndpoints& affected) {
  settle();
  const Picos now = scheduler_.now();
  for (const EndpointId end : affected.silenced)
    if (!is_beyond(end)) silent_.try_emplace(end, Silence{now, false});
  for (const EndpointId end : affected.heard) {
    const auto silence = silent_.find(end);
    if (silence == silent_.end() || silence->second.has_lost) continue;
    note_length(end, now - silence->second.since);
    silent_.erase(silence);
  }
}

void InterruptionRecorder::end_silence(const PacketFate& arrived) {
  const auto silence = silent_.find(arrived.receiver);
  if (silence == silent_.end() || arrived.sent_at < silence->second.since) return;
  note_length(silence->first, arrived.at - silence->second.since);
  silent_.erase(silence);
}

void InterruptionRecorder::note_length(EndpointId receiver, Picos length) {
  if (length < kMin) return;
  Picos& longest = longest_[receiver / 2];
  longest = std::max(longest, length);
}

void InterruptionRecorder::add(const InterruptionRecorder& other) {
  silent_.insert(other.silent_.begin(), other.silent_.end());
  for (const auto& [flow, length] : other.longest_)
    longest_[flow] = std::max(longest_[flow], length);
}

model::Interruptions InterruptionRecorder::of_group(std::size_t group, Picos end) const {
  model::Interruptions found;
  if (group < flows_of_group_.size())
    found.flows = static_cast<std::int64_t>(flows_of_group_[group]);
  std::map<std::size_t, Picos> longest = longest_;
  std::set<std::size_t> not_resumed;
  for (const auto& [receiver, silence] : silent_) {
    const Picos since = silence.since;
    if (end - since < kMin) continue;
    not_resumed.insert(receiver / 2);
    longest[receiver / 2] = std::max(longest[receiver / 2], end - since);
  }
  for (const auto& [flow, length] : longest) {
    if (flows_.all()[flow].group != group) continue;
    ++found.interrupted;
    found.not_resumed += not_resumed.contains(flow) ? 1 : 0;
    found.longest_ns.record(length.whole_nanoseconds());
  }
  return found;
}

Observers::Observers(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options, const core::Scheduler& scheduler,
                     const Accounts& accounts, const FlowTable& flows, PacketPath& path,
                     Border& border)
    : flows_(flows), path_(path) {
  if (options.series) series_.emplace(network, traffic, *options.series, path, accounts);
  if (!options.changes.empty() || options.actors) {
    interruptions_.emplace(flows, scheduler, border);
    path.packets().show_losses_to(&*interruptions_);
  }
  if (options.trace == nullptr) return;
  packet_tracer_.emplace(*options.trace, scheduler, flows, path);
  path.packets().show_to(&*packet_tracer_);
}

void Observers::before(const core::Event& event) {
  if (packet_tracer_) packet_tracer_->before(event);
  if (series_) node_ = node_of(event);
}

Picos Observers::next() const {
  return series_ ? series_->next() : Picos{std::numeric_limits<std::int64_t>::max()};
}

void Observers::count_at(Picos now) {
  if (now == next()) series_->close(now);
}

void Observers::close(Picos end) {
  if (series_) series_->close(end);
  settle();
}

std::optional<model::Series> Observers::series() const {
  if (!series_) return std::nullopt;
  return series_->series();
}

void Observers::add(const Observers& other) {
  if (interruptions_) interruptions_->add(*other.interruptions_);
}

std::optional<model::Interruptions> Observers::interruptions(std::size_t group, Picos end) const {
  if (!interruptions_ || !interruptions_->has_seen_change()) return std::nullopt;
  return interruptions_->of_group(group, end);
}

std::uint32_t Observers::node_of(const core::Event& scheduled) const {
  const StationEvent event = StationEvent::of(scheduled);
  return visit_station(event.kind, [&](auto station) -> std::uint32_t {
    switch (station.kNode) {
      case EventNode::None:
        return 0;
      case EventNode::Subject:
        return event.subject;
      case EventNode::OfPacket:
        return path_.packets()[station.first(path_, event)].node;
      case EventNode::OfSocket:
        return flows_.end(event.subject).node;
    }
    return 0;
  });
}

}  // namespace overlane::run

#include "sim/run/skip/skipper.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace overlane::run {
namespace {

using model::TrafficKind;

/// Time between the first two attempts to begin a span; it doubles with each failure.
constexpr Picos kFirstWait = microseconds(100);
/// Attempts after at most this share of the run.
constexpr std::int64_t kMinTries = 64;
/// A span must have this many datagrams for each flow, because its beginning and its end take the
/// time of some events for each flow.
constexpr std::int64_t kMinDatagrams = 4;
/// DatagramSpan keeps the time between sending and arrival in 31 bits of picoseconds.
constexpr Picos kMaxCrossing = milliseconds(2);
/// Largest jitter for which the arrival at a port is no event.
constexpr Picos kMaxJitter = microseconds(10);
/// DatagramSpan counts the packets of a flow in 32 bits.
constexpr std::int64_t kMaxPackets = INT32_MAX;
/// Fewer bytes than this in a send buffer never block its sender.
constexpr std::int64_t kFreeSendBuffer = kSocketBuffer / 8;

bool is_paced(const TrafficGroup& group) {
  return group.kind == TrafficKind::Udp && group.arrivals == Arrivals::Constant && !group.on &&
         group.rate.count > 0 && group.payload_bytes > 0;
}

std::vector<DatagramTimes> times_of(const std::vector<TrafficGroup>& traffic) {
  return {traffic.begin(), traffic.end()};
}

}  // namespace

std::string no_span_because(const Network& network, const std::vector<TrafficGroup>& traffic,
                            const RunOptions& options) {
  const fabric::Paths& paths = network.paths;
  if (network.costs) return "packets wait for cores";
  if (paths.racks) return "packets wait for links between racks";
  if (network.limits.has_allowances()) return "the cloud limits what a node sends and receives";
  if (paths.loss.any()) return "packets are lost by chance";
  if (paths.jitter > kMaxJitter) return "the delay of the fabric varies by more than 10 µs";
  if (std::max(paths.within_zone, paths.across_zones) + paths.jitter > kMaxCrossing / 2)
    return "the delay of the fabric is more than 1 ms";
  if (options.trace != nullptr) return "packets are traced";
  if (options.series) return "a time series is recorded";
  if (options.max_events != INT64_MAX) return "the number of events is limited";
  if (!options.keep_decisions) return "decisions are not cached";
  if (std::ranges::none_of(traffic, is_paced)) return "no traffic is datagrams at a constant rate";
  return {};
}

Skipper::Skipper(const Network& network, const std::vector<TrafficGroup>& traffic,
                 const RunOptions& options, Flows& flows, PacketPath& path, Accounts& accounts)
    : network_(network),
      traffic_(traffic),
      options_(options),
      flows_(flows),
      path_(path),
      accounts_(accounts),
      times_(times_of(traffic)),
      span_(flows, times_, path, accounts),
      next_try_(kFirstWait),
      wait_(kFirstWait),
      nic_bounds_(network.nodes.size()),
      port_bounds_(network.nodes.size()),
      last_obstacle_("the run is too short") {
  find_components();
  if (components_.empty())
    last_obstacle_ = "all datagrams share nodes with other traffic, or have one node only";
}

/// Joins the nodes of each flow, and keeps the components whose flows are all paced.
void Skipper::find_components() {
  std::vector<std::uint32_t> joined(network_.nodes.size());
  std::iota(joined.begin(), joined.end(), 0u);
  const auto root = [&](std::uint32_t node) {
    while (joined[node] != node)
      node = joined[node] = joined[joined[node]];
    return node;
  };
  const FlowTable& table = flows_.table();
  const auto count = static_cast<std::uint32_t>(table.flows.size());
  for (std::uint32_t flow = 0; flow < count; ++flow)
    joined[root(table.end(flow * 2).node)] = root(table.end(flow * 2 + 1).node);
  std::vector<bool> has_other(network_.nodes.size());
  std::vector<std::uint32_t> number(network_.nodes.size(), kNone);
  for (std::uint32_t flow = 0; flow < count; ++flow) {
    const bool stays = table.end(flow * 2).node == table.end(flow * 2 + 1).node;
    if (stays || !is_paced(traffic_[table.flows[flow].group]))
      has_other[root(table.end(flow * 2).node)] = true;
  }
  for (std::uint32_t flow = 0; flow < count; ++flow) {
    const std::uint32_t of = root(table.end(flow * 2).node);
    if (has_other[of]) continue;
    if (number[of] == kNone) {
      number[of] = static_cast<std::uint32_t>(components_.size());
      components_.emplace_back();
    }
    components_[number[of]].flows.push_back(flow);
  }
}

void Skipper::expect_change(std::optional<Picos> at) {
  next_change_ = at;
  wait_ = kFirstWait;
  next_try_ = reached_ + wait_;
}

/// When a span that begins now must end at the latest, as far as the run's options decide it.
Picos Skipper::latest_end(Picos now) const {
  Picos end = std::min(options_.duration, options_.datagrams_end);
  if (now < options_.warm_up) end = std::min(end, options_.warm_up);
  return std::min(end, next_change_.value_or(end));
}

/// The flow with all that a span needs to know about it; nullopt if it is not settled.
std::optional<SettledFlow> Skipper::settle(std::uint32_t flow, Picos now) {
  const FlowTable& table = flows_.table();
  const Flow& of = table.flows[flow];
  const Endpoint& client = of.client;
  const Endpoint& server = table.end(flow * 2 + 1);
  const bool sends = of.timers.armed >= now && of.timers.armed < transport::kNever &&
                     of.timers.turn == of.timers.armed && !client.blocked && client.packets > 0 &&
                     client.packets < kMaxPackets && client.state_epoch == flows_.state_epoch();
  const bool runs = !client.gone && !client.away && !server.gone && !server.away &&
                    server.unread == 0 && path_.ports().runs(client.node) &&
                    path_.ports().runs(server.node);
  if (!sends || !runs) return std::nullopt;
  const std::uint32_t bytes =
      client.ip_header() + transport::kUdpHeader + traffic_[of.group].payload_bytes;
  auto way = path_.decisions().settled_way(flow * 2, client.node, bytes, server.peer_version, now);
  if (!way || way->decisions.fabric.to != server.node) return std::nullopt;
  const auto cap =
      path_.fabric().cap_use(flow * 2, client.node, way->decisions.fabric, way->outer_length);
  if (!cap) return std::nullopt;
  const auto time = [&](std::uint32_t node) {
    return host::Link(network_.machines[node].nic_rate).frame_time(way->outer_length);
  };
  until_ = std::min(until_, way->until);
  return SettledFlow{.client = flow * 2,
                     .from = client.node,
                     .ip_bytes = bytes,
                     .way = *way,
                     .nic_time = time(client.node),
                     .port_time = time(server.node),
                     .cap = *cap};
}

/// Whether no queue of these flows can overflow, no sender is blocked, and no cap delays a packet.
bool Skipper::has_bounds(std::span<const SettledFlow> flows, Picos now) {
  const FlowTable& table = flows_.table();
  const auto times = [&](const SettledFlow& flow) -> const DatagramTimes& {
    return times_[table.flow_of(flow.client).group];
  };
  const auto work_at = [now](const core::FifoServer& server) {
    return std::max(Picos{}, server.free_at() - now);
  };
  std::vector<QueueBound>& nics = nic_bounds_;
  std::vector<QueueBound>& ports = port_bounds_;
  for (const SettledFlow& flow : flows)
    nics[flow.from] = ports[table.end(flow.client ^ 1).node] = {};
  for (const SettledFlow& flow : flows)
    nics[flow.from].add(times(flow).pace().gap(), times(flow).max_lateness(), flow.nic_time);
  std::map<const fabric::TokenBucket*, QueueBound> caps;
  const Picos jitter = network_.paths.jitter;
  for (const SettledFlow& flow : flows) {
    const QueueBound& nic = nics[flow.from];
    const Picos backlog = work_at(path_.nics().server(flow.from));
    if (!nic.is_stable() || nic.packets(backlog) > network_.machines[flow.from].nic_queue_packets)
      return false;
    const Picos in_nic = nic.longest(backlog);
    const Picos late = times(flow).max_lateness();
    QueueBound own;
    own.add(times(flow).pace().gap(), late + in_nic, flow.nic_time);
    if (own.packets({}) * (flow.ip_bytes + kSocketBufferOverhead) > kFreeSendBuffer) return false;
    if (in_nic > kMaxCrossing / 4) return false;
    longest_in_nic_ = std::max(longest_in_nic_, in_nic);
    ports[table.end(flow.client ^ 1).node].add(times(flow).pace().gap(), late + in_nic + jitter,
                                               flow.port_time);
    if (flow.cap.bucket != nullptr)
      caps[flow.cap.bucket].add(times(flow).pace().gap(), late + in_nic, flow.cap.time);
  }
  for (const SettledFlow& flow : flows) {
    const std::uint32_t to = table.end(flow.client ^ 1).node;
    // Packets that have not been admitted yet are among those of the bound.
    const Picos backlog = work_at(path_.ports()[to].station.server);
    if (!ports[to].is_stable() || ports[to].packets(backlog) > network_.paths.port_queue_packets)
      return false;
    if (flow.cap.bucket == nullptr) continue;
    const QueueBound& cap = caps[flow.cap.bucket];
    if (!cap.is_stable() || cap.longest(flow.cap.bucket->ahead(now)) > flow.cap.bucket->burst())
      return false;
  }
  return true;
}

/// Adds the flows of a component to found_ if it can be in a span.
bool Skipper::add_settled(const Component& component, Picos now) {
  const std::size_t before = found_.size();
  const auto give_up = [&](const char* obstacle) {
    found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end());
    last_obstacle_ = obstacle;
    return false;
  };
  for (const std::uint32_t number : component.flows) {
    std::optional<SettledFlow> flow = settle(number, now);
    if (!flow) return give_up("not all decisions about the flows are cached");
    found_.push_back(*flow);
  }
  const std::span added(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end());
  if (!has_bounds(added, now)) return give_up("queues may overflow, or caps delay packets");
  for (const SettledFlow& flow : added)
    if (!path_.nics().can_send_all_ahead(flow.from)) return give_up("a NIC is busy");
  return true;
}

/// Begins a span at `now` if one is worth it.
bool Skipper::begin(Picos now) {
  found_.clear();
  until_ = latest_end(now);
  longest_in_nic_ = {};
  double rate = 0;
  std::size_t flows = 0;
  for (const Component& component : components_) {
    const Picos until = until_;
    if (!add_settled(component, now)) until_ = until;
  }
  for (const SettledFlow& flow : found_) {
    rate += 1 / static_cast<double>(
                    times_[flows_.table().flow_of(flow.client).group].pace().gap().count);
    ++flows;
  }
  if (flows == 0) return false;
  end_ = until_;
  if (next_change_ && end_ > *next_change_ - longest_in_nic_)
    end_ = *next_change_ - longest_in_nic_;
  if (end_ < options_.duration) end_ = std::min(end_, options_.duration - longest_in_nic_);
  const double datagrams = rate * static_cast<double>((end_ - now).count);
  if (datagrams < static_cast<double>(kMinDatagrams * static_cast<std::int64_t>(flows))) {
    last_obstacle_ = "spans without a change are too short";
    return false;
  }
  span_.begin(now, std::exchange(found_, {}));
  ++spans_;
  return true;
}

/// Runs the span up to `end`, or less far if the run must stop.
void Skipper::run(Picos end) {
  while (span_.position() < end) {
    span_.run_until(std::min(end, span_.position() + span_.slice() * 8));
    if (options_.watch == nullptr) continue;
    options_.watch->show(span_.position(), accounts_.packets_sent());
    if (options_.watch->asks_to_stop()) end_ = end = span_.position();
  }
}

Picos Skipper::advance(Picos stop, bool may_begin) {
  if (!span_.is_running()) {
    const bool is_due = reached_ >= next_try_ && reached_ < stop;
    if (is_due && (!may_begin || !begin(reached_))) {
      wait_ = std::min(wait_ * 2, std::max(kFirstWait, options_.duration / kMinTries));
      next_try_ = reached_ + wait_;
    }
  }
  if (span_.is_running()) {
    const Picos from = span_.position();
    run(std::min(stop, end_));
    skipped_ += span_.position() - from;
    if (span_.position() < end_) return reached_ = stop;
    span_.finish(end_ == options_.duration);
    wait_ = kFirstWait;
    next_try_ = end_;
    return reached_ = std::max(end_, reached_);
  }
  return reached_ = components_.empty() ? stop : std::clamp(next_try_, reached_, stop);
}

model::SkipFacts Skipper::facts() const {
  return {.spans = spans_,
          .skipped_ns = skipped_.whole_nanoseconds(),
          .packets = span_.datagrams(),
          .none_because = spans_ == 0 ? last_obstacle_ : std::string()};
}

}  // namespace overlane::run

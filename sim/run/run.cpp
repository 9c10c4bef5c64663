#include "sim/run/run.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>

#include "sim/run/app/flow.h"
#include "sim/run/limits/limits.h"
#include "sim/run/limits/queued_requests.h"
#include "sim/run/limits/shared_core.h"
#include "sim/run/partitions.h"

namespace overlane::run {
namespace {

using model::Ending;
using WallClock = std::chrono::steady_clock;

double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

/// One run from beginning to end.
class Simulation {
 public:
  /// Referenced arguments must outlive this object; `how` is a result of partition_nodes().
  Simulation(const Network& network, const std::vector<TrafficGroup>& traffic,
             const RunOptions& options, const Partitioning& how)
      : network_(network),
        traffic_(traffic),
        options_(options),
        end_(options.duration),
        states_(network, options),
        flows_(make_flows(network, traffic, options)),
        partitions_(network, traffic, options, how, states_, flows_),
        paths_(paths_of(partitions_), how.of_node) {}

  void loop() {
    if (!partitions_.run()) end_ = partitions_.ended_at();
  }

  /// Why the run must have one partition; null if it may have several.
  const char* needs_one_partition() const { return partitions_.needs_one(); }

  Parsed<Measurement> measure() {
    if (options_.watch != nullptr) options_.watch->show(end_, partitions_.packets_sent());
    std::vector<std::uint32_t> in_flight;
    for (const auto& partition : partitions_.all()) {
      partition->close(end_);
      const std::vector<std::uint32_t> groups = partition->path().packets().groups_in_flight();
      in_flight.insert(in_flight.end(), groups.begin(), groups.end());
    }
    const Observers& observers = sum_up();
    const std::string unbalanced = accounts_->close(in_flight);
    if (!unbalanced.empty()) return fail(unbalanced);
    Measurement result{.ending = partitions_.ending(), .ended_at = end_};
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      result.traffic.push_back(result_of(i));
      result.traffic.back().interruptions = observers.interruptions(i, end_);
    }
    result.datagrams = flows_.datagrams_by_group();
    if (measured().count > 0) {
      for (FoundLimit& found :
           find_limits(network_, traffic_, flows_, paths_, *accounts_, {options_.warm_up, end_})) {
        result.limits.push_back(std::move(found.limit));
        result.behind_limits.push_back(std::move(found.constants));
      }
      const Period period{options_.warm_up, end_};
      result.shared_core = find_shared_core(network_, flows_, paths_, period);
      result.queued_requests = find_queued_requests(network_, flows_, paths_, period);
      result.node_busy_ppm = node_busy_ppm();
      result.cpu_utilisation = summary(result.node_busy_ppm);
    }
    result.series = observers.series();
    for (const auto& partition : partitions_.all()) {
      const ByteCheck& byte_check = partition->path().decisions().byte_check();
      result.byte_path += byte_check.counts();
      if (result.first_mismatch.empty()) result.first_mismatch = byte_check.first_mismatch();
      result.engine.events += partition->events();
      result.engine.packet_hops += partition->path().packets().hops();
      if (const Skipper* skipper = partition->skipper()) {
        result.engine.skipped = skipper->facts();
        result.engine.skipped->simulated_ns = end_.whole_nanoseconds();
      }
    }
    result.engine.events += partitions_.changes();
    result.engine.packet_hops -= flows_.sent_by_nodes();
    result.engine.threads = partitions_.threads();
    return result;
  }

 private:
  static std::vector<const PacketPath*> paths_of(const Partitions& partitions) {
    std::vector<const PacketPath*> paths;
    for (const auto& partition : partitions.all())
      paths.push_back(&partition->path());
    return paths;
  }
  /// Sums up the counts and observations of all partitions.
  const Observers& sum_up() {
    Observers& observers = partitions_.first().observers();
    for (const auto& partition : partitions_.all()) {
      if (!accounts_) {
        accounts_.emplace(partition->accounts());
        batches_.emplace(partition->batches());
      } else {
        *accounts_ += partition->accounts();
        *batches_ += partition->batches();
        observers.add(partition->observers());
      }
    }
    return observers;
  }

  /// Measured time; zero or less if the run ended during the warm-up.
  Picos measured() const { return end_ - options_.warm_up; }

  model::TrafficResult result_of(std::size_t index) const {
    const Accounts::Group& group = accounts_->group(index);
    return {
        .name = traffic_[index].name,
        .kind = traffic_[index].kind,
        .throughput_bps = mean_rate(Bytes{accounts_->measured_ip_bytes(index)}, measured()).count,
        .goodput_bps = mean_rate(Bytes{accounts_->measured_payload(index)}, measured()).count,
        .packets = group.packets,
        .latency_ns = group.latency_ns,
        .completion_ns = group.completion_ns,
        .transactions = transactions(index),
        .connections_per_second = connections_per_second(index),
        .drops = group.drops,
        .steady_state = steady_state(index),
        .latency_steady_state = latency_steady_state(index)};
  }

  /// The steady state of traffic that does not end by itself, in a complete run.
  std::optional<model::SteadyState> steady_state(std::size_t index) const {
    const bool ends = traffic_[index].transfer && !traffic_[index].gap;
    if (ends || partitions_.ending() != Ending::Complete) return std::nullopt;
    return batches_->steady_state(index, options_.warm_up);
  }
  /// The steady state of the latency of requests. Other traffic has none: its latency depends on
  /// queues and windows only.
  std::optional<model::SteadyState> latency_steady_state(std::size_t index) const {
    const bool asks = traffic_[index].kind == model::TrafficKind::RequestResponse;
    const bool is_judged = asks && partitions_.ending() == Ending::Complete;
    return is_judged ? batches_->latency_steady_state(index, options_.warm_up) : std::nullopt;
  }

  std::int64_t transactions(std::size_t index) const {
    const Accounts::Group& group = accounts_->group(index);
    switch (traffic_[index].kind) {
      case model::TrafficKind::Udp:
        return 0;
      case model::TrafficKind::Tcp:
        return group.completion_ns.count();
      case model::TrafficKind::RequestResponse:
        return group.latency_ns.count();
    }
    return 0;
  }

  /// The connection rate of requests that open a connection each, without pauses.
  std::optional<std::int64_t> connections_per_second(std::size_t index) const {
    constexpr std::int64_t kPicosPerSecond = 1'000'000'000'000;
    const TrafficGroup& group = traffic_[index];
    const bool opens = group.kind == model::TrafficKind::RequestResponse && !group.over_udp &&
                       group.connections == Connections::PerRequest;
    if (!opens || group.think_time.count > 0 || measured().count <= 0) return std::nullopt;
    return static_cast<std::int64_t>(WideInteger{transactions(index)} * kPicosPerSecond /
                                     measured().count);
  }

  std::vector<std::int64_t> node_busy_ppm() const {
    std::vector<std::int64_t> shares;
    if (!network_.costs) return shares;
    for (std::uint32_t i = 0; i < network_.nodes.size(); ++i) {
      const NodeCores& node = paths_[i].cpu()[i];
      WideInteger busy = 0;
      for (const Station& core : node.cores)
        busy += core.server.busy(end_).count;
      const WideInteger available =
          WideInteger{measured().count} * static_cast<std::int64_t>(node.cores.size());
      shares.push_back(static_cast<std::int64_t>(busy * 1'000'000 / available));
    }
    return shares;
  }

  static model::CpuUtilisation summary(const std::vector<std::int64_t>& busy_ppm) {
    if (busy_ppm.empty()) return {};
    const std::int64_t sum = std::accumulate(busy_ppm.begin(), busy_ppm.end(), std::int64_t{0});
    return {.mean_ppm = sum / static_cast<std::int64_t>(busy_ppm.size()),
            .max_ppm = std::ranges::max(busy_ppm)};
  }

  const Network& network_;
  const std::vector<TrafficGroup>& traffic_;
  const RunOptions& options_;
  Picos end_;
  States states_;
  FlowTable flows_;
  Partitions partitions_;
  NodePaths paths_;
  // Sums over all partitions, set when the run is over.
  std::optional<Accounts> accounts_;
  std::optional<Batches> batches_;
};

}  // namespace

namespace {

/// The run without spans, with the reason why there are none.
Parsed<Measurement> run_with_all_events(const Network& network,
                                        const std::vector<TrafficGroup>& traffic,
                                        RunOptions options, std::string reason) {
  options.fast = false;
  Parsed<Measurement> result = run(network, traffic, options);
  if (result)
    result->engine.skipped = model::SkipFacts{.simulated_ns = result->ended_at.whole_nanoseconds(),
                                              .none_because = std::move(reason)};
  return result;
}

}  // namespace

Parsed<Measurement> run(const Network& network, const std::vector<TrafficGroup>& traffic,
                        const RunOptions& options) {
  assert(network.nodes.size() == network.machines.size());
  assert(network.nodes.size() == network.fabric.instances.size());
  assert(options.warm_up < options.duration);
  assert(!network.costs || std::ranges::none_of(network.machines, [](const host::Machine& machine) {
    return machine.cores == 0;
  }));
  if (options.fast) {
    std::string reason = no_span_because(network, traffic, options);
    if (!reason.empty()) return run_with_all_events(network, traffic, options, std::move(reason));
  }
  Partitioning how = partition_nodes(network, traffic, options);
  for (;;) {
    const auto setup_start = WallClock::now();
    Simulation simulation(network, traffic, options, how);
    const double setup_seconds = seconds_since(setup_start);
    const auto loop_start = WallClock::now();
    try {
      simulation.loop();
    } catch (const NeedsAllEvents& needs) {
      return run_with_all_events(network, traffic, options, needs.reason);
    }
    const double loop_seconds = seconds_since(loop_start);
    if (const char* reason = simulation.needs_one_partition()) {
      how = {.of_node = PartitionOfNode(network.nodes.size()), .reason = reason};
      continue;
    }
    Parsed<Measurement> result = simulation.measure();
    if (result) {
      result->engine.one_thread_because = how.reason;
      result->engine.setup_seconds = setup_seconds;
      result->engine.loop_seconds = loop_seconds;
    }
    return result;
  }
}

}  // namespace overlane::run

#include "sim/run/run.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>

#include "sim/run/act/actors.h"
#include "sim/run/app/flows.h"
#include "sim/run/explain/limits.h"
#include "sim/run/fetch_ahead.h"
#include "sim/run/observe/observers.h"
#include "sim/run/packet/batches.h"
#include "sim/run/path/packet_path.h"

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
  Simulation(const Network& network, const std::vector<TrafficGroup>& traffic,
             const RunOptions& options, FlowTable flows)
      : network_(network),
        traffic_(traffic),
        options_(options),
        end_(options.duration),
        accounts_(traffic.size(), options.warm_up),
        actors_(options),
        path_(network, traffic, options, flows.flows.size() * 2, scheduler_, accounts_),
        flows_(traffic, std::move(flows), options.datagrams_end, scheduler_, accounts_, path_),
        batches_(accounts_, traffic.size(), options.duration),
        observers_(network, traffic, options, scheduler_, accounts_, flows_, path_) {
    expect_change();
    flows_.start();
  }

  void loop() {
    look_at_ = next_look();
    while (stop_ < options_.duration) {
      stop_ = next_stop();
      if (!reaches(stop_)) break;
      count_at(stop_);
    }
    observers_.close(end_);
  }

  Parsed<Measurement> measure() {
    show(end_);
    path_.ports().admit_all(end_ - Picos{1});
    const std::string unbalanced = accounts_.close(path_.packets().groups_in_flight());
    if (!unbalanced.empty()) return fail(unbalanced);
    Measurement result{.ending = ending_, .ended_at = end_};
    for (std::size_t i = 0; i < traffic_.size(); ++i) {
      result.traffic.push_back(result_of(i));
      result.traffic.back().interruptions = observers_.interruptions(i, end_);
    }
    result.datagrams = flows_.datagrams_by_group();
    if (measured().count > 0) {
      for (FoundLimit& found :
           find_limits(network_, traffic_, flows_, path_, accounts_, {options_.warm_up, end_})) {
        result.limits.push_back(std::move(found.limit));
        result.behind_limits.push_back(std::move(found.constants));
      }
      result.node_busy_ppm = node_busy_ppm();
      result.cpu_utilisation = summary(result.node_busy_ppm);
    }
    result.series = observers_.series();
    const ByteCheck& byte_check = path_.decisions().byte_check();
    result.byte_path = byte_check.counts();
    result.first_mismatch = byte_check.first_mismatch();
    // The event at which a run ends early did not happen.
    result.engine.events = scheduler_.events() - (ending_ == Ending::Complete ? 0 : 1);
    result.engine.packet_hops = path_.packets().hops() - flows_.sent_by_nodes();
    return result;
  }

 private:
  /// The next moment at which something is counted.
  Picos next_stop() const {
    const Picos next = std::min({options_.duration, batches_.next(), observers_.next()});
    return stop_ < options_.warm_up ? std::min(next, options_.warm_up) : next;
  }
  void count_at(Picos now) {
    if (now == options_.warm_up) begin_measuring();
    if (now == batches_.next()) batches_.close();
    observers_.count_at(now);
  }
  void begin_measuring() {
    path_.ports().admit_all(options_.warm_up - Picos{1});
    accounts_.begin_measuring();
    path_.begin_measuring(options_.warm_up);
  }

  /// Lets happen what is before `stop`; false when the run ends early.
  bool reaches(Picos stop) {
    if (observers_.any()) return reaches<true, true>(stop);
    return path_.is_large() ? reaches<false, true>(stop) : reaches<false, false>(stop);
  }
  template <bool is_observed, bool fetches_ahead>
  bool reaches(Picos stop) {
    Packets& packets = path_.packets();
    core::Event event;
    while (scheduler_.next(stop, event)) {
      if (scheduler_.events() > look_at_) {
        if (ends_early()) return false;
        look_at_ = next_look();
      }
      if constexpr (fetches_ahead) fetch_ahead_.look();
      if constexpr (is_observed) observers_.before(event);
      handle(event);
      for (;;) {
        if (packets.has_arrivals()) {
          const PacketId arrival = packets.take_arrival();
          if constexpr (is_observed) observers_.arrives(arrival, scheduler_.now());
          flows_.arrive(arrival);
        } else if (packets.has_departures()) {
          const Packets::Departure departure = packets.take_departure();
          flows_.left_host(departure.sender, departure.bytes);
        } else {
          break;
        }
      }
      if constexpr (is_observed) observers_.after(scheduler_.now());
    }
    return true;
  }

  std::int64_t next_look() const {
    return std::min(scheduler_.events() + kLookEvery, options_.max_events);
  }
  /// Shows how far the run is. True when it is to end in front of the event at hand.
  bool ends_early() {
    show(scheduler_.now());
    if (options_.watch != nullptr && options_.watch->asks_to_stop()) ending_ = Ending::Interrupted;
    if (scheduler_.events() > options_.max_events) ending_ = Ending::EventLimit;
    if (ending_ == Ending::Complete) return false;
    end_ = scheduler_.now();
    return true;
  }

  void show(Picos simulated) {
    if (options_.watch != nullptr) options_.watch->show(simulated, accounts_.packets_sent());
  }

  void expect_change() {
    const std::optional<Picos> at = actors_.next();
    path_.expect_change(at);
    if (at) scheduler_.schedule(*at, What{EventKind::Change}.packed());
  }
  /// Lets the actors act whose time has come.
  void change() {
    const Picos now = scheduler_.now();
    observers_.see_change();
    const node::WorldChange changed =
        path_.apply([&](node::WorldEditor& world) { actors_.act(world, now); });
    observers_.see_turned(flows_.apply(changed), now);
    expect_change();
  }

  void handle(const core::Event& event) {
    const What what = What::of(event);
    switch (what.kind) {
      case EventKind::Change:
        return change();
      case EventKind::Poll:
        return path_.host_receive().poll(what.subject, what.part);
      case EventKind::CoreDone:
        return path_.host_stack().core_done(what.subject, what.part);
      case EventKind::Crypted:
        return path_.wireguard().crypted(what.subject, what.part);
      case EventKind::Backlog:
        return path_.veths()->run_backlog(what.subject, what.part);
      case EventKind::VhostSent:
        return path_.vhost()->sent(what.subject, what.part);
      case EventKind::VhostReceived:
        return path_.vhost()->received(what.subject, what.part);
      case EventKind::LocalDone:
        return path_.host_stack().local_done(what.subject);
      case EventKind::NicDone:
        return path_.host_send().nic_done(what.subject);
      case EventKind::FlowCap:
        return path_.fabric().flow_cap_passed(what.subject, what.part);
      case EventKind::Allowance:
        return path_.fabric().allowance_passed(what.subject, what.part);
      case EventKind::PortArrive:
        return flows_.prefetch_receiver(path_.fabric().delay_passed(what.subject, what.part));
      case EventKind::LeafDone:
        return path_.fabric().leaf_done(what.subject);
      case EventKind::SpineDone:
        return flows_.prefetch_receiver(path_.fabric().spine_done(what.subject));
      case EventKind::PortDone:
        return path_.ports().done(what.subject);
      case EventKind::NodeExpiry:
        return path_.host_stack().expire_fragments(what.subject);
      case EventKind::EndExpiry:
        return flows_.expiry(what.subject);
      case EventKind::Timer:
        return flows_.timer(what.subject);
    }
  }

  /// Zero or less when the run ended during the warm-up.
  Picos measured() const { return end_ - options_.warm_up; }

  model::TrafficResult result_of(std::size_t index) const {
    const Accounts::Group& group = accounts_.group(index);
    return {
        .name = traffic_[index].name,
        .kind = traffic_[index].kind,
        .throughput_bps = mean_rate(Bytes{accounts_.measured_ip_bytes(index)}, measured()).count,
        .goodput_bps = mean_rate(Bytes{accounts_.measured_payload(index)}, measured()).count,
        .packets = group.packets,
        .latency_ns = group.latency_ns,
        .completion_ns = group.completion_ns,
        .transactions = transactions(index),
        .drops = group.drops,
        .steady_state = steady_state(index),
        .latency_steady_state = latency_steady_state(index)};
  }

  /// Of traffic that does not end by itself, in a run that lasted as long as it should.
  std::optional<model::SteadyState> steady_state(std::size_t index) const {
    const bool ends = traffic_[index].transfer && !traffic_[index].gap;
    if (ends || ending_ != Ending::Complete) return std::nullopt;
    return batches_.steady_state(index, options_.warm_up);
  }
  /// Of requests; other latency is what queues and windows make it.
  std::optional<model::SteadyState> latency_steady_state(std::size_t index) const {
    const bool asks = traffic_[index].kind == model::TrafficKind::RequestResponse;
    const bool is_judged = asks && ending_ == Ending::Complete;
    return is_judged ? batches_.latency_steady_state(index, options_.warm_up) : std::nullopt;
  }

  std::int64_t transactions(std::size_t index) const {
    const Accounts::Group& group = accounts_.group(index);
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

  std::vector<std::int64_t> node_busy_ppm() const {
    std::vector<std::int64_t> shares;
    if (!path_.cpu().has_costs()) return shares;
    for (const NodeCores& node : path_.cpu().nodes()) {
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
  Ending ending_ = Ending::Complete;
  core::Scheduler scheduler_;
  Accounts accounts_;
  Actors actors_;
  PacketPath path_;
  Flows flows_;
  Batches batches_;
  FetchAhead fetch_ahead_{scheduler_, path_, flows_};
  Observers observers_;
  Picos stop_;  ///< What is before has happened.
  std::int64_t look_at_ = 0;
};

}  // namespace

Parsed<Measurement> run(const Network& network, const std::vector<TrafficGroup>& traffic,
                        const RunOptions& options) {
  assert(network.nodes.size() == network.machines.size());
  assert(network.nodes.size() == network.fabric.instances.size());
  assert(options.warm_up < options.duration);
  assert(!network.costs || std::ranges::none_of(network.machines, [](const host::Machine& machine) {
    return machine.cores == 0;
  }));
  const auto setup_start = WallClock::now();
  Simulation simulation(network, traffic, options, make_flows(network, traffic, options));
  const double setup_seconds = seconds_since(setup_start);
  const auto loop_start = WallClock::now();
  simulation.loop();
  const double loop_seconds = seconds_since(loop_start);
  Parsed<Measurement> result = simulation.measure();
  if (result) {
    result->engine.setup_seconds = setup_seconds;
    result->engine.loop_seconds = loop_seconds;
  }
  return result;
}

}  // namespace overlane::run

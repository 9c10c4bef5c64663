#include "dataplane/dpdk/bench/load_tester.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_mbuf_dyn.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/dpdk/bench/write_frame.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/dpdk/worker/worker.h"
#include "results/load_search/search.h"
#include "results/model/histogram.h"

namespace overlane::dpdk {
namespace {

constexpr std::uint32_t kMtu = 1500;
/// Room for an IMIX frame in any tunnel, in bytes.
constexpr std::uint32_t kFrameBytes = 2048;
/// A burst takes a few microseconds. If one takes longer than this, the core executed other work.
constexpr double kInterruptedSeconds = 50e-6;
/// After a trial, packets that are still in the rings are taken out within this time.
constexpr double kClearSeconds = 0.1;

double hertz() {
  return static_cast<double>(rte_get_tsc_hz());
}

std::int64_t nanoseconds_of(std::uint64_t cycles) {
  return std::llround(static_cast<double>(cycles) * 1e9 / hertz());
}

std::uint64_t cycles_of(Picos time) {
  return static_cast<std::uint64_t>(static_cast<double>(time.count) / 1e12 * hertz());
}

}  // namespace

LoadLosses& LoadLosses::operator+=(const LoadLosses& other) {
  unsent += other.unsent;
  no_room += other.no_room;
  punted += other.punted;
  return *this;
}

double LoadTrial::rate() const {
  return static_cast<double>(counts.forwarded) * 1e12 / static_cast<double>(counts.duration.count);
}

/// A node's fast path on one core; packets for the slow path are dropped and counted.
class LoadTester::Node {
 public:
  Node(const Generation& generation, const Port& pods, const Port& uplink, std::uint16_t burst)
      : generation_(generation),
        to_pods_(pods),
        to_uplink_(uplink),
        worker_(to_pods_, to_uplink_, 0, burst, identification_) {}

  /// Forwards a burst from each port and returns the number of packets received.
  std::size_t poll() {
    const std::size_t came = worker_.poll(
        generation_, exceptions_, [this](std::span<rte_mbuf* const> packets, forward::Ingress) {
          for (rte_mbuf* packet : packets)
            rte_pktmbuf_free(packet);
          punted_ += packets.size();
        });
    to_pods_.flush();
    to_uplink_.flush();
    return came;
  }

  /// Forwards on the calling core until it is stopped.
  static int run(void* node) {
    auto& self = *static_cast<Node*>(node);
    while (!self.stopped.load(std::memory_order_relaxed))
      self.poll();
    return 0;
  }

  std::uint64_t punted() const { return punted_; }
  /// Packets that were received but did not leave.
  std::uint64_t lost() const { return punted_ + to_pods_.refused() + to_uplink_.refused(); }

  std::atomic<bool> stopped = false;

 private:
  const Generation& generation_;
  const adjacency::PuntFilter exceptions_;
  node::IdentificationCounters identification_;
  SendQueue to_pods_;
  SendQueue to_uplink_;
  Worker worker_;
  Count punted_;
};

/// One trial on the calling core. Times are TSC cycles since its start.
class LoadTester::TrialRun {
 public:
  TrialRun(LoadTester& tester, std::span<const LoadPath> paths, const LoadOrder& order, Node& node)
      : tester_(tester), paths_(paths), next_(paths.size()), order_(order), node_(node) {
    const double packets = static_cast<double>(order.packets_per_second) *
                           static_cast<double>(order.duration.count) / 1e12;
    total_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(packets)));
    trial_.counts.duration = order.duration;
    trial_.counts.offered = static_cast<std::int64_t>(total_);
  }

  LoadTrial run() {
    begin_ = rte_rdtsc();
    const std::uint64_t length = cycles_of(order_.duration);
    for (std::uint64_t now = 0; now < length; now = this->now()) {
      const double share = static_cast<double>(now) / static_cast<double>(length);
      const auto due = static_cast<std::uint64_t>(share * static_cast<double>(total_));
      put(due);
      // The clock does not advance, so the tester sends all due packets.
      while (tester_.takes_turns() && sent_ < due)
        put(due);
      step();
    }
    // Sends the packets that became due last. A tester that is further behind than a burst is too
    // slow for the load.
    while (sent_ < total_ && (tester_.takes_turns() || total_ - sent_ <= kBurst))
      put(total_);
    const std::uint64_t end = length + cycles_of(order_.residual);
    while (is_under_way() && now() < end)
      step();
    trial_.losses.unsent = total_ - sent_;
    clear();
    trial_.losses.punted = node_.punted();
    return trial_;
  }

 private:
  static constexpr std::uint64_t kBurst = 32;

  std::uint64_t now() const { return tester_.takes_turns() ? node_time_ : rte_rdtsc() - begin_; }

  bool is_under_way() const { return taken_ + trial_.losses.no_room + node_.lost() < sent_; }

  /// Offers the packets that are due, at most a burst.
  void put(std::uint64_t due) {
    const std::uint64_t count = std::min(kBurst, due - std::min(due, sent_));
    if (count == 0) return;
    sent_ += count;
    std::array<rte_mbuf*, kBurst> packets;
    if (rte_pktmbuf_alloc_bulk(tester_.pool_.get(), packets.data(), static_cast<unsigned>(count)) !=
        0) {
      trial_.losses.no_room += count;
      return;
    }
    const std::size_t path = turn_++ % paths_.size();
    const BenchTraffic& traffic = *paths_[path].traffic;
    std::size_t& next = next_[path];
    const std::uint64_t stamp = now() + 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      write_frame(packets[i], traffic.frame(next));
      next = next + 1 == traffic.size() ? 0 : next + 1;
      if (order_.with_latency) stamp_of(packets[i]) = stamps_++ % kLatencySample == 0 ? stamp : 0;
    }
    RingWire& wire =
        paths_[path].ingress == forward::Ingress::Pod ? tester_.pods_wire_ : tester_.uplink_wire_;
    const std::size_t taken = wire.put_burst({packets.data(), count});
    if (taken < count) {
      rte_pktmbuf_free_bulk(packets.data() + taken, static_cast<unsigned>(count - taken));
      trial_.losses.no_room += count - taken;
    }
  }

  /// Runs the node if tester and node take turns, and takes the packets that have left the node.
  void step() {
    if (tester_.takes_turns()) {
      const std::uint64_t first = rte_rdtsc();
      node_.poll();
      const std::uint64_t took = rte_rdtsc() - first;
      if (static_cast<double>(took) > kInterruptedSeconds * hertz()) {
        ++trial_.interruptions;
      } else {
        node_time_ += took;
      }
    }
    trial_.counts.forwarded += static_cast<std::int64_t>(take());
  }

  /// Takes the packets that have left the node and returns their number.
  std::uint64_t take() {
    const std::uint64_t now = this->now();
    if (order_.with_latency) trial_.looks_ns.record(nanoseconds_of(now - last_look_));
    last_look_ = now;
    std::uint64_t count = 0;
    std::array<rte_mbuf*, 4 * kBurst> packets;
    for (RingWire* wire : {&tester_.pods_wire_, &tester_.uplink_wire_}) {
      const std::size_t of_wire = wire->take_burst(packets);
      for (std::size_t i = 0; i < of_wire && order_.with_latency; ++i) {
        const std::uint64_t stamp = stamp_of(packets[i]);
        if (stamp != 0) trial_.latency_ns.record(nanoseconds_of(now - (stamp - 1)));
      }
      rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(of_wire));
      count += of_wire;
    }
    taken_ += count;
    return count;
  }

  std::uint64_t& stamp_of(rte_mbuf* packet) const {
    return *RTE_MBUF_DYNFIELD(packet, tester_.stamp_offset_, std::uint64_t*);
  }

  /// Empties the rings for the next trial without counting the packets.
  void clear() {
    const std::uint64_t until = rte_rdtsc() + static_cast<std::uint64_t>(kClearSeconds * hertz());
    while (is_under_way() && rte_rdtsc() < until) {
      if (tester_.takes_turns()) node_.poll();
      std::array<rte_mbuf*, kBurst> packets;
      for (RingWire* wire : {&tester_.pods_wire_, &tester_.uplink_wire_}) {
        const std::size_t count = wire->take_burst(packets);
        rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(count));
        taken_ += count;
      }
    }
  }

  LoadTester& tester_;
  std::span<const LoadPath> paths_;
  std::vector<std::size_t> next_;  ///< Next frame of each path.
  const LoadOrder& order_;
  Node& node_;
  std::uint64_t begin_ = 0;
  std::uint64_t node_time_ = 0;  ///< Node time in cycles, if tester and node take turns.
  std::uint64_t total_ = 0;      ///< Packets of the load.
  std::uint64_t sent_ = 0;       ///< Packets offered.
  std::uint64_t taken_ = 0;      ///< Packets that left the node.
  std::uint64_t turn_ = 0;
  std::uint64_t stamps_ = 0;
  std::uint64_t last_look_ = 0;
  LoadTrial trial_;
};

Parsed<std::unique_ptr<LoadTester>> LoadTester::make(const std::string& name, std::uint32_t buffers,
                                                     std::uint16_t burst,
                                                     std::optional<unsigned> node_core) {
  auto pool = PacketPool::make(buffers, kFrameBytes);
  if (!pool) return fail(pool.error());
  auto pods_wire = RingWire::make(name + "-p", *pool);
  if (!pods_wire) return fail(pods_wire.error());
  auto uplink_wire = RingWire::make(name + "-u", *pool);
  if (!uplink_wire) return fail(uplink_wire.error());
  auto pods = Port::start(pods_wire->device(), {}, kMtu, *pool);
  if (!pods) return fail(pods.error());
  auto uplink = Port::start(uplink_wire->device(), {}, kMtu, *pool);
  if (!uplink) return fail(uplink.error());
  static const rte_mbuf_dynfield kStamp{.name = "overlane_load_stamp",
                                        .size = sizeof(std::uint64_t),
                                        .align = alignof(std::uint64_t),
                                        .flags = 0};
  const int offset = rte_mbuf_dynfield_register(&kStamp);
  if (offset < 0) return fail(dpdk_error("no room for time stamps", rte_errno));
  return std::unique_ptr<LoadTester>(new LoadTester(std::move(*pool), std::move(*pods_wire),
                                                    std::move(*uplink_wire), std::move(*pods),
                                                    std::move(*uplink), burst, node_core, offset));
}

Parsed<LoadTrial> LoadTester::measure(const Generation& generation, std::span<const LoadPath> paths,
                                      const LoadOrder& order) {
  Node node(generation, pods_, uplink_, burst_);
  if (node_core_) {
    if (const int error = rte_eal_remote_launch(Node::run, &node, *node_core_))
      return fail(dpdk_error("no core for the node", error));
  }
  LoadTrial trial = TrialRun(*this, paths, order, node).run();
  node.stopped = true;
  if (node_core_) rte_eal_wait_lcore(*node_core_);
  return trial;
}

namespace {

/// Residual if time is the machine's time: the scheduler may interrupt the node's core for a few of
/// Linux's time slices. A ring holds no more packets in a longer time.
constexpr Picos kMachineResidual = milliseconds(20);

/// Time to wait for remaining packets after a trial. A queue that grew by more than the width of
/// the goals is an overload.
Picos residual_of(const LoadTester& tester, const load_search::Goal& goal) {
  const double share = goal.width * static_cast<double>(goal.trial.count);
  const Picos own{static_cast<std::int64_t>(share)};
  return tester.takes_turns() ? own : std::max(own, kMachineResidual);
}

/// The conditional throughput of the goal with PDR's loss ratio.
std::optional<double> pdr_of(const load_search::SearchResult& found) {
  for (const load_search::GoalResult& result : found.goals)
    if (result.goal.loss_ratio == load_search::kPdrLoss) return result.conditional_throughput;
  return std::nullopt;
}

std::string mpps(double packets_per_second) {
  return fmt::format("{:.4f}", packets_per_second / 1e6);
}

std::string mpps(const std::optional<std::int64_t>& load) {
  return load ? mpps(static_cast<double>(*load)) : "-";
}

std::string micros(std::int64_t nanoseconds) {
  return fmt::format("{:.1f}", static_cast<double>(nanoseconds) / 1e3);
}

}  // namespace

double LoadFigures::max_receive_rate() const {
  if (max_receive_rates.empty()) return 0;
  return std::accumulate(max_receive_rates.begin(), max_receive_rates.end(), 0.0) /
         static_cast<double>(max_receive_rates.size());
}

Parsed<LoadFigures> load_figures(LoadTester& tester, const Generation& generation,
                                 std::span<const LoadPath> paths, const LoadPlan& plan) {
  LoadFigures figures{.takes_turns = tester.takes_turns(), .range = plan.range};
  const load_search::Goal& goal = plan.goals.front();
  const auto measure = [&](std::int64_t load, Picos residual, bool with_latency = false) {
    return tester.measure(generation, paths,
                          {.packets_per_second = load,
                           .duration = goal.trial,
                           .residual = residual,
                           .with_latency = with_latency});
  };
  const Picos residual = residual_of(tester, goal);
  const auto warm_up = measure(plan.range.max, residual);
  if (!warm_up) return fail(warm_up.error());
  for (int i = 0; plan.all_figures && i < kMaxReceiveRateTrials; ++i) {
    // Packets received after the trial do not count for its rate.
    const auto trial = measure(plan.range.max, Picos{});
    if (!trial) return fail(trial.error());
    figures.max_receive_rates.push_back(trial->rate());
  }
  auto found = load_search::find_loads({.goals = plan.goals, .range = plan.range},
                                       [&](std::int64_t load, Picos) -> Parsed<load_search::Trial> {
                                         const auto trial = measure(load, residual);
                                         if (!trial) return fail(trial.error());
                                         figures.losses += trial->losses;
                                         figures.interruptions += trial->interruptions;
                                         return trial->counts;
                                       });
  if (!found) return fail(std::move(found.error()));
  figures.found = std::move(*found);
  const auto pdr = pdr_of(figures.found);
  if (!plan.all_figures || !pdr) return figures;
  for (const double share : {0.0, 0.1, 0.5, 0.9}) {
    const std::int64_t load = std::max<std::int64_t>(plan.range.min, std::llround(*pdr * share));
    const auto trial = measure(load, residual, true);
    if (!trial) return fail(trial.error());
    figures.latency.push_back({share, load, *trial});
  }
  return figures;
}

nlohmann::ordered_json encode(const LoadFigures& figures) {
  nlohmann::ordered_json json{{"clock", figures.takes_turns ? "node" : "machine"},
                              {"min_pps", figures.range.min},
                              {"max_pps", figures.range.max}};
  if (!figures.max_receive_rates.empty()) {
    json["mrr_pps"] = std::llround(figures.max_receive_rate());
    json["mrr_trials_pps"] = nlohmann::ordered_json::array();
    for (const double rate : figures.max_receive_rates)
      json["mrr_trials_pps"].push_back(std::llround(rate));
  }
  json.update(load_search::encode(figures.found));
  json["losses"] = {{"unsent", figures.losses.unsent},
                    {"no_room", figures.losses.no_room},
                    {"punted", figures.losses.punted}};
  json["interruptions"] = figures.interruptions;
  if (!figures.latency.empty()) json["latency"] = nlohmann::ordered_json::array();
  for (const LatencyAt& at : figures.latency) {
    json["latency"].push_back({{"of_pdr", at.share_of_pdr},
                               {"pps", at.packets_per_second},
                               {"offered", at.trial.counts.offered},
                               {"forwarded", at.trial.counts.forwarded},
                               {"latency_ns", model::encode_quantiles(at.trial.latency_ns)},
                               {"error_p99_ns", at.trial.looks_ns.quantile(99, 100)}});
  }
  return json;
}

std::string load_heading() {
  return fmt::format("{:<22} {:<12} {:>11} {:>10} {:>10} {:>10}\n", "mode/way/size", "figure",
                     "Mpps", "lower", "upper", "trials");
}

std::string load_lines(const std::string& name, const LoadFigures& figures) {
  std::string text;
  const auto line = [&](const std::string& figure, const std::string& rate,
                        const std::string& lower = "", const std::string& upper = "",
                        const std::string& trials = "") {
    std::string one = fmt::format("{:<22} {:<12} {:>11} {:>10} {:>10} {:>10}", name, figure, rate,
                                  lower, upper, trials);
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  if (!figures.max_receive_rates.empty()) {
    const auto [least, most] = std::ranges::minmax(figures.max_receive_rates);
    line("MRR", mpps(figures.max_receive_rate()), mpps(least), mpps(most),
         std::to_string(figures.max_receive_rates.size()));
  }
  for (const load_search::GoalResult& result : figures.found.goals) {
    const auto& rate = result.conditional_throughput;
    // Mark an irregular result, which is only an indication.
    const char* mark = result.ending == load_search::Ending::Regular ? "" : "? ";
    line(result.goal.name, rate ? mark + mpps(*rate) : "-", mpps(result.lower_bound),
         mpps(result.upper_bound), std::to_string(figures.found.trial_count()));
  }
  if (!figures.latency.empty()) {
    text += fmt::format("{:<22} {:<12} {:>11} {:>10} {:>10} {:>10}\n", "", "latency, µs", "Mpps",
                        "p50", "p99", "max");
  }
  for (const LatencyAt& at : figures.latency) {
    const model::Histogram& latency = at.trial.latency_ns;
    line(at.share_of_pdr == 0 ? "no load" : fmt::format("{:.0f} % of PDR", at.share_of_pdr * 100),
         mpps(static_cast<double>(at.packets_per_second)), micros(latency.quantile(50, 100)),
         micros(latency.quantile(99, 100)), micros(latency.max()));
  }
  return text;
}

}  // namespace overlane::dpdk

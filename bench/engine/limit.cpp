#include "bench/engine/limit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "bench/engine/workload.h"
#include "sim/host/machine.h"
#include "sim/transport/segment.h"

namespace overlane::bench {
namespace {

using Time = std::int64_t;  ///< Picoseconds.
using Index = std::uint32_t;

constexpr Index kNothing = UINT32_MAX;
/// One way between two nodes.
constexpr Time kLatency = microseconds(20).count;

enum class Kind : std::uint32_t { Send, Arrive };

struct Event {
  Time at = 0;
  Kind kind = Kind::Send;
  Index what = 0;  ///< Flow or pipe.
};
static_assert(sizeof(Event) == 16);

/// Events by time: buckets of 4 µs for the next 17 ms, and a heap for what is later.
class Wheel {
 public:
  void push(Event event) {
    const Time bucket = event.at >> kShift;
    if (bucket <= current_) {
      now_.push_back(event);
      std::push_heap(now_.begin(), now_.end(), later);
    } else if (bucket < current_ + kBuckets) {
      buckets_[bucket % kBuckets].push_back(event);
      ++waiting_;
    } else {
      far_.push_back(event);
      std::push_heap(far_.begin(), far_.end(), later);
    }
  }
  /// False when there is none.
  bool pop(Event& event) {
    while (now_.empty()) {
      if (waiting_ == 0 && far_.empty()) return false;
      advance();
    }
    std::pop_heap(now_.begin(), now_.end(), later);
    event = now_.back();
    now_.pop_back();
    return true;
  }

 private:
  static constexpr int kShift = 22;  ///< 4.2 µs.
  static constexpr Time kBuckets = 4096;

  static bool later(const Event& a, const Event& b) { return a.at > b.at; }
  void advance() {
    if (waiting_ == 0) current_ = std::max(current_, (far_.front().at >> kShift) - 1);
    ++current_;
    while (!far_.empty() && far_.front().at >> kShift < current_ + kBuckets) {
      std::pop_heap(far_.begin(), far_.end(), later);
      const Event event = far_.back();
      far_.pop_back();
      push(event);
    }
    std::vector<Event>& bucket = buckets_[current_ % kBuckets];
    waiting_ -= bucket.size();
    for (const Event& event : bucket)
      now_.push_back(event);
    bucket.clear();
    std::make_heap(now_.begin(), now_.end(), later);
  }

  Time current_ = 0;
  std::size_t waiting_ = 0;
  std::vector<Event> now_, far_;
  std::array<std::vector<Event>, kBuckets> buckets_;
};

struct alignas(64) Packet {
  Time arrives = 0;
  Index next = kNothing;
  Index flow = 0;
  std::uint32_t bytes = 0;
  std::uint32_t hop = 0;  ///< Which pipe of its flow it is in.
};

/// A link's queue and delay line.
struct Pipe {
  Time busy_until = 0;
  Time per_byte = 0;
  Index first = kNothing;
  Index last = kNothing;
};

constexpr std::size_t kMaxPipes = 4;

struct Flow {
  std::array<Index, kMaxPipes> pipes{};
  std::uint32_t pipe_count = 0;
  std::uint32_t left = 0;  ///< Datagrams to send.
};

class Limit {
 public:
  explicit Limit(const Workload& workload) : workload_(workload), gap_(workload.gap.count) {
    const Time nic = Time{8} * seconds(1).count / host::Machine{}.nic_rate.count;
    pipes_.assign(workload.nodes * std::size_t{2}, {.per_byte = nic});
    if (workload.racks) add_racks(*workload.racks);
    std::mt19937_64 random;
    for (const FlowNodes& nodes : flow_nodes(workload)) {
      wheel_.push({.at = static_cast<Time>(random() % static_cast<std::uint64_t>(gap_)),
                   .kind = Kind::Send,
                   .what = static_cast<Index>(flows_.size())});
      flows_.push_back(flow_between(nodes.from, nodes.to));
    }
  }

  void run() {
    for (Event event; wheel_.pop(event); ++events_)
      event.kind == Kind::Send ? send(event) : arrive(event);
  }

  std::int64_t events() const { return events_; }
  std::int64_t delivered() const { return delivered_; }
  std::int64_t packet_hops() const { return hops_; }

 private:
  void add_racks(const fabric::Racks& racks) {
    const Time uplink = Time{8} * seconds(1).count / racks.uplink.count;
    per_rack_ = racks.nodes_per_rack;
    spines_ = racks.spines;
    const std::size_t leaves = (workload_.nodes + per_rack_ - 1) / per_rack_;
    // To each spine, and from it.
    pipes_.resize(pipes_.size() + 2 * leaves * spines_, {.per_byte = uplink});
  }

  Flow flow_between(Index from, Index to) const {
    Flow flow{.left = static_cast<std::uint32_t>(workload_.packets_per_flow)};
    const auto pass = [&](Index pipe) { flow.pipes[flow.pipe_count++] = pipe; };
    pass(2 * from);
    if (per_rack_ != 0 && from / per_rack_ != to / per_rack_) {
      const auto spine = static_cast<Index>(flows_.size()) % spines_;
      pass(2 * (workload_.nodes + from / per_rack_ * spines_ + spine));
      pass(2 * (workload_.nodes + to / per_rack_ * spines_ + spine) + 1);
    }
    pass(2 * to + 1);
    return flow;
  }

  void send(const Event& event) {
    Flow& flow = flows_[event.what];
    const Index id = add();
    Packet& packet = packets_[id];
    packet.flow = event.what;
    packet.bytes = transport::kIpv4Header + transport::kUdpHeader + workload_.payload_bytes +
                   host::kFrameOverhead;
    packet.hop = 0;
    hops_ += !workload_.between_nodes;  // The pod's veth.
    enter(id, event.at);
    if (--flow.left > 0) wheel_.push({event.at + gap_, Kind::Send, event.what});
  }

  void enter(Index id, Time now) {
    Packet& packet = packets_[id];
    const Index number = flows_[packet.flow].pipes[packet.hop];
    Pipe& pipe = pipes_[number];
    pipe.busy_until = std::max(now, pipe.busy_until) + packet.bytes * pipe.per_byte;
    // Once on its way, behind the first NIC.
    packet.arrives = pipe.busy_until + (packet.hop == 0 ? kLatency : 0);
    packet.next = kNothing;
    if (pipe.first == kNothing) {
      pipe.first = id;
      wheel_.push({packet.arrives, Kind::Arrive, number});
    } else {
      packets_[pipe.last].next = id;
    }
    pipe.last = id;
  }

  void arrive(const Event& event) {
    Pipe& pipe = pipes_[event.what];
    const Index id = pipe.first;
    Packet& packet = packets_[id];
    pipe.first = packet.next;
    if (pipe.first != kNothing)
      wheel_.push({packets_[pipe.first].arrives, Kind::Arrive, event.what});
    ++hops_;
    if (++packet.hop < flows_[packet.flow].pipe_count) return enter(id, event.at);
    hops_ += !workload_.between_nodes;
    ++delivered_;
    packet.next = free_;
    free_ = id;
  }

  Index add() {
    if (free_ == kNothing) {
      packets_.emplace_back();
      return static_cast<Index>(packets_.size() - 1);
    }
    const Index id = free_;
    free_ = packets_[id].next;
    return id;
  }

  const Workload& workload_;
  const Time gap_;
  std::uint32_t per_rack_ = 0, spines_ = 0;
  Wheel wheel_;
  std::vector<Pipe> pipes_;  ///< Of each node from and to it, then of each leaf.
  std::vector<Flow> flows_;
  std::vector<Packet> packets_;
  Index free_ = kNothing;
  std::int64_t events_ = 0, delivered_ = 0, hops_ = 0;
};

}  // namespace

Parsed<Figures> measure_limit(const Workload& workload) {
  if (workload.kind != model::TrafficKind::Udp) return fail("the limit has no TCP");
  if (workload.cpu_costs) return fail("the limit has no CPU costs");
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  Limit limit(workload);
  const double setup_seconds = seconds_since(start);
  const auto loop_start = std::chrono::steady_clock::now();
  limit.run();
  const std::int64_t due = workload.packets_per_flow * workload.flows;
  if (limit.delivered() != due)
    return fail(fmt::format("{} packets were due, {} delivered", due, limit.delivered()));
  return Figures{.packet_hops = limit.packet_hops(),
                 .packets = limit.delivered(),
                 .events = limit.events(),
                 .setup_seconds = setup_seconds,
                 .loop_seconds = seconds_since(loop_start),
                 .core_share = (cpu_seconds() - cpu_start) / seconds_since(start),
                 .peak_rss_mb = peak_rss_mb()};
}

}  // namespace overlane::bench

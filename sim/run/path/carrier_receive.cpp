#include <algorithm>
#include <utility>

#include "sim/run/packet/core_placement.h"
#include "sim/run/path/carrier.h"

namespace overlane::run {

// From the NIC to the core that its queue belongs to: interrupts, polls (NAPI) and merging (GRO);
// or from a veth pair to the backlog of the core that sent.

namespace {

/// TCP's timestamps tick in milliseconds; GRO merges only segments of the same one.
constexpr Picos kTimestampTick = milliseconds(1);

bool same_options(const transport::Segment& a, const transport::Segment& b) {
  return a.acknowledges == b.acknowledges && a.window == b.window && b.sack_count == 0 &&
         a.timestamp.count / kTimestampTick.count == b.timestamp.count / kTimestampTick.count;
}

}  // namespace

void Carrier::receive(PacketId id) {
  PacketInFlight& flight = flights_[id];
  if (!by_veth_) flight.shares_buffer = false;
  const std::uint32_t node = flight.node;
  const std::uint16_t core = flight.core;
  if (!stations_[node].port.node_runs) return finish(id, Drop::NodeGone);
  if (!has_costs_) return process(id, forward::Ingress::Uplink);
  ReceiveQueue& queue = stations_[node].queues[core];
  if (queue.waiting == network_.machines[node].receive_ring_packets)
    return finish(id, Drop::CpuBacklogFull);
  queue.ring.push(flights_, id);
  ++queue.waiting;
  if (!queue.poll_due) plan_poll(node, core);
}

/// Polls as soon as the core is free. A poll that found the queue empty before its budget was used
/// up has ended with the NIC's interrupts on again (napi_complete_done), and these the NIC
/// moderates; one that used it up is repeated when the core is through with what it took.
void Carrier::plan_poll(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = stations_[node].queues[core];
  const Picos now = scheduler_.now();
  queue.poll_due = true;
  if (by_veth_) {
    const Picos start = std::max(now, stations_[node].cores[core].server.free_at());
    return scheduler_.schedule(start, What{EventKind::Backlog, node, core}.packed());
  }
  queue.interrupted = now > queue.goes_on_until;
  const Picos allowed = queue.interrupted ? queue.quiet_until : now;
  const Picos start = std::max({now, allowed, stations_[node].cores[core].server.free_at()});
  if (start == now) return poll(node, core);
  scheduler_.schedule(start, What{EventKind::Poll, node, core}.packed());
}

void Carrier::poll(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = stations_[node].queues[core];
  core::FifoServer& server = stations_[node].cores[core].server;
  const Picos now = scheduler_.now();
  queue.poll_due = false;
  if (queue.interrupted) {
    server.occupy(now, stations_[node].costs->interrupt());
    queue.quiet_until = now + network_.machines[node].interrupt_gap;
  }
  polling_ = true;
  std::uint32_t budget = by_veth_ ? queue.waiting : kPollBudget;
  for (; budget > 0 && queue.waiting > 0; --budget) {
    --queue.waiting;
    process(queue.ring.pop(flights_), forward::Ingress::Uplink);
  }
  polling_ = false;
  merging_.clear();
  run_cpu_jobs(node, core);
  server.occupy(now, std::exchange(queue.behind, {}));
  queue.goes_on_until = budget == 0 ? server.free_at() : ReceiveQueue::kNotAtAll;
  if (queue.waiting > 0) plan_poll(node, core);
}

/// Puts a segment into the buffer of those before it, if GRO can, or if it came through a veth pair
/// in that buffer. Packets that are forwarded to another node are not merged.
bool Carrier::merge(PacketId id, const cost::PathCost& cost) {
  const PacketInFlight& flight = flights_[id];
  if (!polling_ || !flight.is_tcp || flight.egress == forward::Egress::Uplink) return false;
  if (!by_veth_ && !offloads(flight.node).gro) return false;
  const transport::Segment& segment = flights_.segment(id);
  auto open = std::ranges::find(merging_, flight.sender, &Merging::sender);
  if (open != merging_.end() && joins(*open, id)) {
    CpuJob& work = work_[open->work];
    add(work, cost, flight, true);
    add_to(work.id, flight, segment);
    let_go(id, TracePoint::Merged);
    return true;
  }
  if (open == merging_.end()) open = merging_.emplace(open);
  *open = {.sender = flight.sender, .work = work_.size()};
  open->train.takes(segment, segment.length);
  return false;
}

bool Carrier::joins(Merging& open, PacketId id) {
  const PacketId first = work_[open.work].id;
  const transport::Segment& whole = flights_.segment(first);
  const transport::Segment& segment = flights_.segment(id);
  if (by_veth_ && !flights_[id].shares_buffer) return false;
  return same_options(whole, segment) &&
         open.train.takes(segment, whole.length / whole.wire_segments) &&
         decisions_.look_alike(flights_[first], flights_[id]);
}

void Carrier::add_to(PacketId first, const PacketInFlight& flight,
                     const transport::Segment& segment) {
  flights_[first].length += flight.length;
  ++flights_[first].packets;
  flights_.segment(first).length += segment.length;
  ++flights_.segment(first).wire_segments;
}

/// Adds what a packet takes to the work on its buffer.
void Carrier::add(CpuJob& work, const cost::PathCost& cost, const PacketInFlight& flight,
                  bool shares_buffer) const {
  Picos time = cost.of(flight.length, shares_buffer);
  if (polling_ && network_.machines[flight.node].rps) {
    const Picos poll = stations_[flight.node].costs->poll().of(flight.length, shares_buffer);
    work.poll += poll;
    time += {-poll.count};
  }
  work.time += time;
}

/// RPS: the core that polled hands a buffer to the one that the hash of its inner flow picks.
void Carrier::steer(const CpuJob& work, std::uint32_t node, std::uint16_t core) {
  NodeStations& stations = stations_[node];
  PacketInFlight& flight = flights_[work.id];
  flight.core = steered_core(flight.sender, stations.cores.size());
  const Picos handed_on =
      stations.cores[core].server.occupy(scheduler_.now(), work.poll + stations.costs->steer());
  Station& target = stations.cores[flight.core];
  const auto done = target.server.arrive(handed_on, work.time);
  if (!done) return finish(work.id, Drop::CpuBacklogFull);
  flight.steered = true;
  wait(target.pipe, work.id, *done, {EventKind::CoreDone, node, flight.core});
}

}  // namespace overlane::run

#include "sim/run/path/receive_batch.h"

#include <algorithm>

#include "sim/run/path/cpu.h"

namespace overlane::run {

namespace {

/// TCP's timestamps tick in milliseconds; GRO merges only segments of the same one.
constexpr Picos kTimestampTick = milliseconds(1);

bool same_options(const transport::Segment& a, const transport::Segment& b) {
  return a.acknowledges == b.acknowledges && a.window == b.window && b.sack.empty() &&
         a.timestamp.count / kTimestampTick.count == b.timestamp.count / kTimestampTick.count;
}

}  // namespace

/// Puts a segment into the buffer of those before it, if that takes it.
void ReceiveBatch::add(PacketId id, const cost::PathCost& cost) {
  Packet& packet = packets_[id];
  packet.to_crypt = cost.is_sealed;
  // GRO makes few buffers of a stream; datagrams come one by one, and a poll takes many.
  if (!packet.is_tcp) packet.in_burst = rule_ == MergeRule::Gro && !buffers_.empty();
  if (may_merge(packet)) {
    auto open = std::ranges::find(open_, packet.sender, &Open::sender);
    if (open != open_.end() && joins(*open, id)) {
      Buffer& buffer = buffers_[open->buffer];
      charge(buffer, cost, packet, cost::Arrival::SharesBuffer);
      packets_[buffer.id].length += packet.length;
      ++packets_[buffer.id].packets;
      transport::Segment& whole = packets_.segment(buffer.id);
      whole.length += packets_.segment(id).length;
      ++whole.wire_segments;
      return packets_.merge_away(id);
    }
    if (open == open_.end()) open = open_.emplace(open);
    *open = {.sender = packet.sender, .buffer = buffers_.size()};
    const transport::Segment& segment = packets_.segment(id);
    open->train.takes(segment, segment.length);
  }
  Buffer& buffer = buffers_.emplace_back();
  buffer.id = id;
  charge(buffer, cost, packet, packet.arrival());
}

/// Packets that are forwarded to another node are not merged.
bool ReceiveBatch::may_merge(const Packet& packet) const {
  if (!packet.is_tcp || packet.egress == forward::Egress::Uplink) return false;
  return rule_ == MergeRule::Buffer || network_.machines[packet.node].offloads.gro;
}

bool ReceiveBatch::joins(Open& open, PacketId id) {
  const PacketId first = buffers_[open.buffer].id;
  const transport::Segment& whole = packets_.segment(first);
  const transport::Segment& segment = packets_.segment(id);
  if (rule_ == MergeRule::Buffer && !packets_[id].shares_buffer) return false;
  return same_options(whole, segment) &&
         open.train.takes(segment, whole.length / whole.wire_segments) &&
         decisions_.look_alike(packets_[first], packets_[id]);
}

/// Adds what a packet takes to the work on its buffer.
void ReceiveBatch::charge(Buffer& buffer, const cost::PathCost& cost, const Packet& packet,
                          cost::Arrival arrival) const {
  Picos time = cost.of(packet.length, arrival);
  if (network_.machines[packet.node].rps) {
    const Picos poll = cpu_.costs(packet.node).poll().of(packet.length, arrival);
    buffer.poll += poll;
    time += {-poll.count};
  }
  buffer.time += time;
}

void ReceiveBatch::run(std::uint32_t node, std::uint16_t core) {
  for (const Buffer& buffer : buffers_) {
    if (buffer.poll.count > 0)
      hand_on(buffer, node, core);
    else
      cpu_.work(buffer.id, node, core, buffer.time);
  }
}

/// RPS: the core that polled hands a buffer to the one that the hash of its inner flow picks.
void ReceiveBatch::hand_on(const Buffer& buffer, std::uint32_t node, std::uint16_t core) {
  Packet& packet = packets_[buffer.id];
  const NodeCores& cpu = cpu_[node];
  packet.core = steered_core(packet.sender, cpu.cores.size());
  const Picos handed_on =
      cpu.cores[core].server.occupy(packets_.now(), buffer.poll + cpu.costs->steer());
  if (!cpu_.work_later(buffer.id, node, packet.core, handed_on, buffer.time))
    packets_.drop(buffer.id, Drop::CpuBacklogFull);
}

}  // namespace overlane::run

#include "sim/run/observe/interruptions.h"

#include <algorithm>
#include <set>

namespace overlane::run {
namespace {

constexpr Picos kLeast = milliseconds(1);

/// Losses that no change of a state causes.
bool is_congestion(Drop reason) {
  switch (reason) {
    case Drop::CpuBacklogFull:
    case Drop::NicQueueFull:
    case Drop::FabricQueueFull:
    case Drop::FabricAllowance:
    case Drop::SocketBufferFull:
    case Drop::RandomLoss:
      return true;
    default:
      return false;
  }
}

}  // namespace

InterruptionRecorder::InterruptionRecorder(const Flows& flows) : flows_(flows) {
  for (const Flow& flow : flows.all()) {
    flows_of_group_.resize(std::max<std::size_t>(flows_of_group_.size(), flow.group + 1));
    ++flows_of_group_[flow.group];
  }
}

EndId InterruptionRecorder::receiver_of(const PacketInFlight& packet) const {
  return flows_.origin_of(packet.sender / 2) * 2 + (packet.sender % 2 ^ 1);
}

void InterruptionRecorder::see_lost(const PacketInFlight& packet, Drop reason) {
  if (!has_seen_change_ || packet.is_icmp || is_congestion(reason)) return;
  silent_.try_emplace(receiver_of(packet), Silence{packet.sent_at}).first->second.has_lost = true;
}

void InterruptionRecorder::see_turned(const Flows::Turned& turned, Picos now) {
  for (const EndId end : turned.silenced)
    silent_.try_emplace(end, Silence{now, false});
  for (const EndId end : turned.heard) {
    const auto silence = silent_.find(end);
    if (silence == silent_.end() || silence->second.has_lost) continue;
    note_length(end, now - silence->second.since);
    silent_.erase(silence);
  }
}

void InterruptionRecorder::end_silence(const PacketInFlight& packet, Picos now) {
  const auto silence = silent_.find(receiver_of(packet));
  if (silence == silent_.end() || packet.sent_at < silence->second.since) return;
  note_length(silence->first, now - silence->second.since);
  silent_.erase(silence);
}

void InterruptionRecorder::note_length(EndId receiver, Picos length) {
  if (length < kLeast) return;
  Picos& longest = longest_[receiver / 2];
  longest = std::max(longest, length);
}

model::Interruptions InterruptionRecorder::of_group(std::size_t group, Picos end) const {
  model::Interruptions found;
  if (group < flows_of_group_.size())
    found.flows = static_cast<std::int64_t>(flows_of_group_[group]);
  std::map<std::size_t, Picos> longest = longest_;
  std::set<std::size_t> not_resumed;
  for (const auto& [receiver, silence] : silent_) {
    const Picos since = silence.since;
    if (end - since < kLeast) continue;
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

}  // namespace overlane::run

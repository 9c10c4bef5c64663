#include "sim/run/observe/interruptions.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace overlane::run {
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

/// With one partition, all that happened before is known when something happens.
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

}  // namespace overlane::run

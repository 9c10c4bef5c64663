#include "sim/run/observe/interruptions.h"

#include <algorithm>

namespace overlane::run {
namespace {

constexpr std::uint32_t kLeast = 1000;  // Microseconds.
constexpr std::uint32_t kTimesAsLong = 2;
/// Arrivals that show how long an end is usually silent.
constexpr std::uint32_t kLeastArrivals = 3;

/// Whether its flows fall silent although nothing interrupts them.
bool ends_by_itself(const TrafficGroup& group) {
  return group.transfer.has_value() && !group.gap.has_value();
}

std::uint32_t microseconds_of(Picos time) {
  return static_cast<std::uint32_t>(time.count / microseconds(1).count);
}

}  // namespace

InterruptionRecorder::InterruptionRecorder(const std::vector<TrafficGroup>& traffic,
                                           const std::vector<TimedChange>& changes,
                                           const Flows& flows)
    : traffic_(traffic),
      flows_(flows),
      first_change_(std::ranges::min(changes, {}, &TimedChange::at).at),
      ends_(flows.all().size() * 2) {
  for (const Flow& flow : flows.all())
    groups_.push_back(flow.group);
}

void InterruptionRecorder::arrives(EndId end, Picos now) {
  // Flows opened during the run stand for the one that they continue.
  const bool is_first = end < ends_.size();
  Silence& silence = ends_[is_first ? end : flows_.flow_of(end).origin * 2 + end % 2];
  const std::uint32_t at = microseconds_of(now);
  const std::uint32_t gap = at - silence.last;
  if (now >= first_change_)
    silence.longest_after = std::max(silence.longest_after, gap);
  else if (silence.arrivals_before++ > 0)
    silence.longest_before = std::max(silence.longest_before, gap);
  silence.last = at;
}

model::Interruptions InterruptionRecorder::of_group(std::size_t group, Picos end) const {
  model::Interruptions found;
  for (std::size_t flow = 0; flow < groups_.size(); ++flow) {
    if (groups_[flow] != group) continue;
    bool is_judged = false;
    bool is_silent = false;
    std::uint32_t longest = 0;
    for (const std::size_t id : {flow * 2, flow * 2 + 1}) {
      const Silence& silence = ends_[id];
      if (silence.arrivals_before < kLeastArrivals) continue;
      is_judged = true;
      const std::uint32_t least = std::max(kLeast, silence.longest_before * kTimesAsLong);
      const std::uint32_t at_end =
          ends_by_itself(traffic_[group]) ? 0 : microseconds_of(end) - silence.last;
      const std::uint32_t most = std::max(silence.longest_after, at_end);
      if (most < least) continue;
      longest = std::max(longest, most);
      is_silent = is_silent || at_end >= least;
    }
    if (!is_judged) continue;
    ++found.flows;
    if (longest == 0) continue;
    ++found.interrupted;
    found.not_resumed += is_silent ? 1 : 0;
    found.longest_ns.record(std::int64_t{longest} * 1000);
  }
  return found;
}

}  // namespace overlane::run

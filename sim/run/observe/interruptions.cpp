#include "sim/run/observe/interruptions.h"

#include <algorithm>

namespace overlane::run {
namespace {

constexpr Picos kLeast = milliseconds(1);
constexpr std::int64_t kTimesAsLong = 2;
/// Arrivals that show how long an end is usually silent.
constexpr std::uint32_t kLeastArrivals = 3;

/// Whether its flows fall silent although nothing interrupts them.
bool ends_by_itself(const TrafficGroup& group) {
  return group.transfer.has_value() && !group.gap.has_value();
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
  Silence& silence = ends_[flows_.flow_of(end).origin * 2 + end % 2];
  const Picos gap = now - silence.last;
  if (now >= first_change_)
    silence.longest_after = std::max(silence.longest_after, gap);
  else if (silence.arrivals_before++ > 0)
    silence.longest_before = std::max(silence.longest_before, gap);
  silence.last = now;
}

model::Interruptions InterruptionRecorder::of_group(std::size_t group, Picos end) const {
  model::Interruptions found;
  for (std::size_t flow = 0; flow < groups_.size(); ++flow) {
    if (groups_[flow] != group) continue;
    bool is_judged = false;
    bool is_silent = false;
    Picos longest;
    for (const std::size_t id : {flow * 2, flow * 2 + 1}) {
      const Silence& silence = ends_[id];
      if (silence.arrivals_before < kLeastArrivals) continue;
      is_judged = true;
      const Picos least = std::max(kLeast, silence.longest_before * kTimesAsLong);
      const Picos at_end = ends_by_itself(traffic_[group]) ? Picos{} : end - silence.last;
      const Picos most = std::max(silence.longest_after, at_end);
      if (most < least) continue;
      longest = std::max(longest, most);
      is_silent = is_silent || at_end >= least;
    }
    if (!is_judged) continue;
    ++found.flows;
    if (longest == Picos{}) continue;
    ++found.interrupted;
    found.not_resumed += is_silent ? 1 : 0;
    found.longest_ns.record(longest.whole_nanoseconds());
  }
  return found;
}

}  // namespace overlane::run

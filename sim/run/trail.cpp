#include "sim/run/trail.h"

#include <utility>

namespace overlane::run {
namespace {

/// So many trails are asked to make room before a packet goes without one.
constexpr int kMostLooks = 64;

}  // namespace

TrailId Trails::begin(EndId end, const forward::Packet& header) {
  const TrailId id = allocate();
  if (id == kNone) return kNone;
  Trail& trail = trails_[id];
  trail.end = end;
  trail.headers.push_back(header);
  trail.next_hops.emplace_back();
  return of_end_[end] = id;
}

TrailId Trails::branch(TrailId id, std::size_t stage) {
  const TrailId next = allocate();
  if (next == kNone) return kNone;
  const Trail& old = trails_[id];
  Trail& trail = trails_[next];
  const auto known = static_cast<std::ptrdiff_t>(stage);
  trail.end = old.end;
  trail.known = static_cast<std::uint8_t>(stage);
  trail.hops = old.hops;
  trail.headers.assign(old.headers.begin(), old.headers.begin() + known + 1);
  trail.next_hops.assign(old.next_hops.begin(), old.next_hops.begin() + known + 1);
  std::size_t repeats = 0;
  for (std::size_t before = 0; before < stage; ++before)
    repeats += old.hops[before].repeats;
  trail.repeats.assign(old.repeats.begin(),
                       old.repeats.begin() + static_cast<std::ptrdiff_t>(repeats));
  const TrailId current = std::exchange(of_end_[old.end], next);
  if (current != kNone && trails_[current].in_flight == 0) free_.push_back(current);
  return next;
}

void Trails::forget(EndId end) {
  const TrailId id = of_end_[end];
  if (id == kNone) return;
  of_end_[end] = kNone;
  if (trails_[id].in_flight == 0) free_.push_back(id);
}

TrailId Trails::allocate() {
  if (free_.empty() && trails_.size() < kMostTrails) {
    trails_.emplace_back();
    return static_cast<TrailId>(trails_.size() - 1);
  }
  if (free_.empty() && !make_room()) return kNone;
  const TrailId id = free_.back();
  free_.pop_back();
  Trail& trail = trails_[id];
  trail.known = 0;
  trail.headers.clear();
  trail.next_hops.clear();
  trail.repeats.clear();
  return id;
}

/// The second-chance algorithm: one round spares what was used since the last.
bool Trails::make_room() {
  for (int looked = 0; looked < kMostLooks; ++looked) {
    hand_ = (hand_ + 1) % trails_.size();
    Trail& trail = trails_[hand_];
    if (trail.in_flight > 0 || of_end_[trail.end] != hand_) continue;
    if (!std::exchange(trail.used, false)) {
      forget(trail.end);
      return true;
    }
  }
  return false;
}

}  // namespace overlane::run

#include "sim/run/app/endpoint_timers.h"

#include <algorithm>
#include <utility>

#include "sim/run/packet/station_event.h"

namespace overlane::run {

using transport::kNever;

void EndpointTimers::arm(EndpointId id) {
  Timers& timers = table_.timers(id);
  Picos next = timers.turn;
  if (table_.end(id).is_tcp) {
    const TcpSocket& tcp = table_.socket(id);
    next = std::min(next, tcp.deadline());
    if (tcp.waits_for_core) next = std::min(next, tcp.sending_until);
  }
  if (timers.armed <= next) return;
  const Picos put_off = std::exchange(timers.armed, std::max(next, scheduler_.now()));
  // A spare event that is early enough replaces a new one: take() runs too early and arms again.
  if (timers.spare <= timers.armed) {
    timers.armed = std::exchange(timers.spare, kNever);
  } else {
    scheduler_.schedule(timers.armed, StationEvent{EventKind::Timer, id}.packed());
  }
  // Keep the later of two superfluous Timer events: the earlier expires first.
  if (put_off != kNever && (timers.spare == kNever || timers.spare < put_off))
    timers.spare = put_off;
}

}  // namespace overlane::run

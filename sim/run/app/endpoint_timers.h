#pragma once

#include "sim/core/event_queue.h"
#include "sim/run/app/flow.h"

namespace overlane::run {

/// Timer events of endpoints: the next action of an application, the deadlines of TCP
/// (retransmission, delayed acknowledgement, pacing; inet_csk and the fq timer in Linux), and the
/// time at which a core has sent the last buffer. An endpoint has one pending event for the
/// earliest of them. The event queue cannot cancel: an event that is no longer needed stays as a
/// spare and is used again when it is early enough. One partition owns an EndpointTimers and is its
/// only user.
class EndpointTimers {
 public:
  /// Referenced arguments must outlive this object.
  EndpointTimers(FlowTable& table, core::Scheduler& scheduler)
      : table_(table), scheduler_(scheduler) {}

  /// Schedules a Timer event for the next deadline of an endpoint, unless one is early enough.
  void arm(EndpointId id);
  /// A Timer event happens now: returns whether the endpoint still needs it.
  bool take(EndpointId id) {
    const Picos now = scheduler_.now();
    Timers& timers = table_.timers(id);
    if (timers.armed == now) {
      timers.armed = transport::kNever;
      return true;
    }
    if (timers.spare == now) timers.spare = transport::kNever;
    return false;
  }

 private:
  FlowTable& table_;
  core::Scheduler& scheduler_;
};

}  // namespace overlane::run

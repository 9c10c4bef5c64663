#pragma once

#include <cstddef>
#include <span>

#include "sim/core/scheduler.h"
#include "sim/run/app/flows.h"
#include "sim/run/packet/event_kind.h"
#include "sim/run/path/carrier.h"

namespace overlane::run {

/// In large runs: has the processor fetch what the next events look at while others are handled.
class FetchAhead {
 public:
  /// Keeps references.
  FetchAhead(const core::Scheduler& scheduler, const Carrier& carrier, const Flows& flows)
      : scheduler_(scheduler), carrier_(carrier), flows_(flows) {}

  /// To be called when an event was taken.
  [[gnu::always_inline]] void look() {
    if (!carrier_.is_large()) return;
    const std::span<const core::Event> events = scheduler_.at_hand();
    if (events.size() > known_ + 1) fetch_all_but_next(events);
    known_ = events.size();
    if (const core::Event* next = scheduler_.glance()) fetch(What::of(*next));
  }

 private:
  /// For a port, prefetch only the packet that it will deliver: the port was prefetched at send.
  [[gnu::always_inline]] void fetch_all_but_next(std::span<const core::Event> events) const {
    for (const core::Event& event : events.first(events.size() - 1)) {
      const What what = What::of(event);
      if (what.kind == EventKind::Timer)
        flows_.prefetch(what.subject);
      else if (what.kind == EventKind::PortDone)
        flows_.prefetch_receiver(carrier_.prefetch_expected(what.subject));
    }
  }
  [[gnu::always_inline]] void fetch(What what) const {
    if (what.kind == EventKind::Timer)
      flows_.prefetch(what.subject);
    else if (what.kind == EventKind::PortDone)
      carrier_.prefetch_port(what.subject);
  }

  const core::Scheduler& scheduler_;
  const Carrier& carrier_;
  const Flows& flows_;
  std::size_t known_ = 0;  ///< Events at hand when it was called last.
};

}  // namespace overlane::run

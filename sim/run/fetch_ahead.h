#pragma once

#include <cstddef>
#include <span>

#include "sim/core/scheduler.h"
#include "sim/run/app/flows.h"
#include "sim/run/packet/event_kind.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// In large runs: has the processor fetch what the next events look at while others are handled.
class FetchAhead {
 public:
  /// Keeps references.
  FetchAhead(const core::Scheduler& scheduler, const PacketPath& path, const Flows& flows)
      : scheduler_(scheduler), path_(path), flows_(flows) {}

  /// To be called when an event was taken.
  [[gnu::always_inline]] void look() {
    if (!path_.is_large()) return;
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
        prefetch_expected(what.subject);
    }
  }
  [[gnu::always_inline]] void fetch(What what) const {
    if (what.kind == EventKind::Timer)
      flows_.prefetch(what.subject);
    else if (what.kind == EventKind::PortDone)
      path_.ports().prefetch(what.subject);
  }

  /// What a port's event reads of the packet that it delivers, and of who gets it.
  [[gnu::always_inline]] void prefetch_expected(std::uint32_t node) const {
    const PacketInFlight& packet = path_.packets()[path_.ports()[node].expected];
    path_.decisions().prefetch(packet);
    flows_.prefetch_receiver(packet.sender);
  }

  const core::Scheduler& scheduler_;
  const PacketPath& path_;
  const Flows& flows_;
  std::size_t known_ = 0;  ///< Events at hand when it was called last.
};

}  // namespace overlane::run

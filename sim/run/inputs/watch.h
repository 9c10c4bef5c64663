#pragma once

#include <atomic>
#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::run {

/// A run under way, as other threads see it: the run writes how far it is every kLookEvery events,
/// and stops when `stop` says so. Neither changes what happens up to then.
struct Watch {
  const std::atomic<bool>* stop = nullptr;   ///< Null: no stop.
  std::atomic<std::int64_t> simulated_ps{};  ///< Since the beginning of the run.
  std::atomic<std::int64_t> packets{};       ///< Sent so far, as in model::PacketCounts.

  void show(Picos simulated, std::int64_t packets_sent) {
    simulated_ps.store(simulated.count, std::memory_order_relaxed);
    packets.store(packets_sent, std::memory_order_relaxed);
  }
  bool asks_to_stop() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

/// A thousandth of a second or less of the engine's time.
inline constexpr std::int64_t kLookEvery = 4096;

}  // namespace overlane::run

#pragma once

#include <compare>
#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::core {

/// Something that will happen. `what` means what its user says: where, and of which kind.
///
/// The order in which events happen, and the whole of it, is by time and then by `what`. It never
/// depends on when an event was inserted, so it holds however a run is spread over threads. What
/// waits at one place of a run waits in an order of its own, with one event for the first of it, so
/// that no two pending events need to be told apart otherwise. Part of the result contract.
struct Event {
  Picos time;
  std::uint64_t what = 0;

  auto operator<=>(const Event&) const = default;
};
static_assert(sizeof(Event) == 16);

/// Spelt out: twice as fast as what the compiler makes of <=>.
inline bool before(const Event& a, const Event& b) {
  return a.time.count < b.time.count || (a.time.count == b.time.count && a.what < b.what);
}

}  // namespace overlane::core

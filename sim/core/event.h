#pragma once

#include <compare>
#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::core {

/// A place where things happen, one after the other: a core, a NIC, a fabric port, a flow's end.
using StationId = std::uint32_t;

/// The order in which events happen, and the whole of it: by time, then by where, then by who
/// scheduled it, then by that station's own count. It never depends on when an event was inserted,
/// so it holds however the stations are spread over threads. Part of the result contract.
struct EventKey {
  Picos time;
  StationId station = 0;
  StationId source = 0;
  std::uint64_t sequence = 0;

  auto operator<=>(const EventKey&) const = default;
};

/// Something that will happen. `kind` and `subject` mean what their user says.
struct Event {
  EventKey key;
  std::uint32_t kind = 0;
  std::uint32_t subject = 0;

  auto operator<=>(const Event&) const = default;
};
static_assert(sizeof(Event) == 32);

}  // namespace overlane::core

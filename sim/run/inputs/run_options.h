#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dataplane/net/units.h"
#include "sim/run/inputs/actor.h"
#include "sim/run/inputs/trace_event.h"
#include "sim/run/inputs/watch.h"

namespace overlane::run {

/// A change of the states at one time. It takes effect before anything else that happens then;
/// changes of one time in the order given.
struct TimedChange {
  Picos at;
  std::function<void(node::WorldEditor& editor)> apply;
};

/// A node that is stopped until a TimedChange starts it at this time. Flows from or to it start
/// then.
struct NodeJoin {
  std::uint32_t node = 0;
  Picos at;
};

/// What a run counts over time.
struct SeriesOptions {
  Picos interval;          ///< > 0.
  bool each_node = false;  ///< Not only all nodes together.
};

struct RunOptions {
  Picos duration = milliseconds(100);
  Picos warm_up{};  ///< Shorter than `duration`.
  std::uint64_t seed = 1;
  /// Flows start at random moments in [0, start_spread).
  Picos start_spread = milliseconds(1);
  /// Clients of udp groups send nothing from then on; what is under way still arrives.
  Picos datagrams_end{INT64_MAX};
  std::vector<TimedChange> changes;
  std::vector<NodeJoin> joins;
  MakeActors actors;  ///< Empty: none but `changes`.
  /// Without, every packet is decided anew: slower, with the same result.
  bool keep_decisions = true;
  std::int64_t max_events = INT64_MAX;  ///< The run ends behind so many.
  Watch* watch = nullptr;               ///< Null: no progress report and no stop.
  std::optional<SeriesOptions> series;  ///< Changes nothing else.
  const TraceOptions* trace = nullptr;  ///< Null: no packet trace.
  std::uint32_t threads = 1;            ///< At most so many work on it. Changes no result.
  /// So many partitions wherever that is possible, however little each has to do; 0: as many as
  /// threads, where that pays. Changes no result.
  std::uint32_t partitions = 0;
};

}  // namespace overlane::run

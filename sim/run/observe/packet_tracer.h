#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/core/event_queue.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/packet/packet.h"

namespace overlane::core {
class Scheduler;
}

namespace overlane::run {

struct FlowTable;
class PacketPath;

/// Follows the packets of some flows through a run and shows them at each stop: Packets tells
/// where they begin and end, the rest is seen by looking at what an event is about before it
/// happens.
class PacketTracer : public PathObserver {
 public:
  /// Referenced arguments must outlive this object.
  PacketTracer(const TraceOptions& options, const core::Scheduler& scheduler,
               const FlowTable& flows, PacketPath& path);

  /// An event is about to happen.
  void before(const core::Event& scheduled);
  void see(PacketId id, TracePoint stop) override { show(id, stop, {}, 0); }
  void see_last(PacketId id, TracePoint stop, std::optional<Drop> drop) override;

 private:
  struct Followed {
    std::uint64_t packet = 0;
    Picos seen_at;
  };

  /// `switch_number` is that of the rack or the spine, where the stop is one.
  void show(PacketId id, TracePoint stop, std::optional<Drop> drop, std::uint32_t switch_number);
  bool follows(EndpointId end) const;
  void see_read(PacketId id);
  void see_queued(const Pipe& queue, std::uint32_t packets);
  std::optional<SenderState> state_of(EndpointId end) const;

  const TraceOptions& options_;
  const core::Scheduler& scheduler_;
  const FlowTable& flows_;
  PacketPath& path_;
  std::unordered_map<PacketId, Followed> followed_;
  std::uint64_t packets_ = 0;
};

}  // namespace overlane::run

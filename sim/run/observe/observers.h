#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/run/app/pod_restarts.h"
#include "sim/run/observe/interruptions.h"
#include "sim/run/observe/packet_tracer.h"
#include "sim/run/observe/series.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// The observers of a run, event by event, if there are any. They change no result.
class Observers {
 public:
  /// Referenced arguments must outlive this object.
  Observers(const Network& network, const std::vector<TrafficGroup>& traffic,
            const RunOptions& options, const core::Scheduler& scheduler, const Accounts& accounts,
            const FlowTable& flows, PacketPath& path, Border& border);

  /// Whether there are observers; if not, before() and after() need not be called.
  bool any() const { return series_ || packet_tracer_ || interruptions_; }

  void before(const core::Event& event);
  /// A packet has arrived at its socket, which has not handled it yet.
  void arrives(PacketId id) {
    if (!interruptions_) return;
    const Packet& packet = path_.packets()[id];
    if (!path_.packets().is_read(id) && !packet.is_icmp) interruptions_->see_arrival(packet);
  }
  /// The states are about to change.
  void see_change() {
    if (interruptions_) interruptions_->see_change();
  }
  void see_affected(const AffectedEndpoints& affected) {
    if (interruptions_) interruptions_->see_affected(affected);
  }
  /// Takes the packet fates that another partition has seen.
  void take(const Mail& mail) {
    if (interruptions_) interruptions_->take(mail.lost);
  }
  /// All partitions have reached the end of the window and have taken each other's mail.
  void settle() {
    if (interruptions_) interruptions_->settle();
  }
  void after(Picos now) {
    if (series_) series_->look(node_, now);
  }
  /// The next moment for count_at().
  Picos next() const;
  void count_at(Picos now);
  /// The run is over.
  void close(Picos end);

  std::optional<model::Series> series() const;
  /// Adds the interruptions that the observers of another partition have seen.
  void add(const Observers& other);
  /// The interruptions of one traffic group; nothing if no state has changed.
  std::optional<model::Interruptions> interruptions(std::size_t group, Picos end) const;

 private:
  std::uint32_t node_of(const core::Event& scheduled) const;

  const FlowTable& flows_;
  const PacketPath& path_;
  std::optional<SeriesRecorder> series_;
  std::optional<PacketTracer> packet_tracer_;
  std::optional<InterruptionRecorder> interruptions_;
  std::uint32_t node_ = 0;  ///< The node whose queues the current event changes.
};

}  // namespace overlane::run

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "results/model/run_report.h"
#include "results/model/series.h"
#include "sim/core/event_queue.h"
#include "sim/run/app/pod_restarts.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/packet/packet.h"
#include "sim/run/path/packet_path.h"

namespace overlane::core {
class Scheduler;
}  // namespace overlane::core

namespace overlane::run {

// Observers of a run: the tracer, the recorder of time series, and the recorder of interruptions.
// They see events before they happen and packets when they begin and end, and change no result. One
// partition owns an Observers and is its only user.

struct FlowTable;
class PacketPath;

/// Follows the packets of some flows through a run and shows each of their stops. Packets reports
/// where they begin and end; the tracer finds the other stops by inspecting the packet of an event
/// before it happens.
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

  /// `switch_number`: of the rack or the spine, if the stop is one.
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

/// Records the time series of a run. It reads counters that the run keeps anyway, between events,
/// so it changes no result.
class SeriesRecorder {
 public:
  /// Referenced arguments must outlive this object.
  SeriesRecorder(const Network& network, const std::vector<TrafficGroup>& traffic,
                 const SeriesOptions& options, PacketPath& path, const Accounts& accounts);

  /// End of the current interval.
  Picos next() const { return begun_ + options_.interval; }

  /// Records how full the queues of `node` are after an event there.
  void look(std::uint32_t node, Picos now);
  /// Ends the current interval, if one has begun.
  void close(Picos now);

  const model::Series& series() const { return series_; }

 private:
  /// Largest queue lengths of a node in the current interval.
  struct Fullest {
    std::int64_t nic_packets = 0, nic_bytes = 0, ring_packets = 0, port_packets = 0;
  };
  /// Counters of a group at the beginning of the current interval.
  struct Before {
    std::int64_t ip_bytes = 0, payload_bytes = 0, sent = 0, delivered = 0;
    DropCounts drops;
  };

  void close_traffic(std::size_t group, Picos length);
  void close_nodes(Picos now);
  std::int64_t busy_ppm(std::uint32_t node, Picos now);
  static void add(model::NodeSeries& series, const Fullest& fullest);

  const Network& network_;
  const SeriesOptions options_;
  PacketPath& path_;
  const Accounts& accounts_;
  Picos begun_;                     ///< Beginning of the current interval.
  std::vector<Before> before_;      ///< By group.
  std::vector<Picos> busy_before_;  ///< By node: busy time of its cores until `begun_`.
  std::vector<Fullest> fullest_;    ///< By node.
  model::Series series_;
};

/// Finds flows that a run's changes interrupted, as defined by model::Interruptions, from the
/// packets that arrive at the endpoints of one partition.
class InterruptionRecorder : public LossObserver {
 public:
  /// Referenced arguments must outlive this object.
  InterruptionRecorder(const FlowTable& flows, const core::Scheduler& scheduler, Border& border);

  void see_lost(const Packet& packet, Drop reason) override;
  /// A packet, which is not ICMP, has arrived at its receiver.
  void see_arrival(const Packet& packet) {
    if (is_recording())
      note({receiver_of(packet), packet.sent_at, scheduler_.now(), Fate::Arrived});
  }
  /// Packets to endpoints of this partition were lost in another partition.
  void take(const std::vector<PacketFate>& lost) {
    fates_.insert(fates_.end(), lost.begin(), lost.end());
  }
  /// Processes the noted fates. Requires that all partitions have reached this time.
  void settle();

  /// Packets lost from now on may be lost because of a change.
  void see_change() { has_seen_change_ = true; }
  /// Pods have stopped or started. An interruption without lost packets ends when the pods run
  /// again.
  void see_affected(const AffectedEndpoints& affected);

  bool has_seen_change() const { return has_seen_change_; }
  /// Whether no interruption lasts, so that packets that arrive change nothing.
  bool is_quiet() const {
    return silent_.empty() && std::ranges::none_of(fates_, [](const PacketFate& fate) {
             return fate.fate == Fate::Lost;
           });
  }
  /// Adds the interruptions at endpoints of another partition.
  void add(const InterruptionRecorder& other);
  /// The interruptions of one group in a run that ends at `end`.
  model::Interruptions of_group(std::size_t group, Picos end) const;

 private:
  using Fate = PacketFate::Fate;
  /// Whether arrivals must be noted.
  bool is_recording() const {
    return has_seen_change_ && (border_.is_open() || !silent_.empty() || !fates_.empty());
  }
  /// The receiving endpoint in the flow's first connection.
  EndpointId receiver_of(const Packet& packet) const;
  bool is_beyond(EndpointId end) const { return border_.is_beyond(flows_.end(end).node); }
  void note(const PacketFate& fate);
  void end_silence(const PacketFate& arrived);
  void note_length(EndpointId receiver, Picos length);

  const FlowTable& flows_;
  const core::Scheduler& scheduler_;
  Border& border_;
  bool has_seen_change_ = false;
  std::vector<PacketFate> fates_;            ///< Not processed by settle() yet.
  std::vector<std::size_t> flows_of_group_;  ///< Number of flows at the beginning of the run.
  struct Silence {
    Picos since;           ///< When the first lost packet was sent, or the sending pod stopped.
    bool has_lost = true;  ///< A packet was lost.
  };
  /// Endpoints at which no packet has arrived since their first lost packet.
  std::unordered_map<EndpointId, Silence> silent_;
  std::map<std::size_t, Picos> longest_;  ///< Ended interruptions: the longest of each flow.
};

/// The observers of a run, event by event, if there are any. They change no result.
class Observers {
 public:
  /// Referenced arguments must outlive this object.
  Observers(const Network& network, const std::vector<TrafficGroup>& traffic,
            const RunOptions& options, const core::Scheduler& scheduler, const Accounts& accounts,
            const FlowTable& flows, PacketPath& path, Border& border);

  /// Whether there are observers; if not, before() and after() need not be called.
  bool any() const { return series_ || packet_tracer_ || interruptions_; }
  /// Whether the observers would see nothing in packets that arrive as usual: no interruption
  /// lasts, and there is no other observer.
  bool miss_nothing() const {
    return !series_ && !packet_tracer_ && (!interruptions_ || interruptions_->is_quiet());
  }

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
  /// Takes the packet fates that another partition has reported.
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
  /// Next time for count_at().
  Picos next() const;
  void count_at(Picos now);
  /// The run is over.
  void close(Picos end);

  std::optional<model::Series> series() const;
  /// Adds the interruptions that the observers of another partition have seen.
  void add(const Observers& other);
  /// The interruptions of one traffic group; nullopt if no state has changed.
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/event_queue.h"
#include "sim/run/app/flows.h"
#include "sim/run/observe/observers.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/packet/packet.h"
#include "sim/run/path/border.h"
#include "sim/run/path/packet_path.h"
#include "sim/run/skip/skipper.h"

namespace overlane::run {

/// Prefetches, in large runs, the cache lines that the next events read.
class FetchAhead {
 public:
  /// Referenced arguments must outlive this object.
  FetchAhead(const core::Scheduler& scheduler, const PacketPath& path, const Flows& flows)
      : scheduler_(scheduler), path_(path), flows_(flows) {}

  /// Prefetches for the events after the one that was just taken.
  [[gnu::always_inline]] void look() {
    if (!path_.is_large()) return;
    const std::span<const core::Event> events = scheduler_.at_hand();
    if (events.size() > known_ + 1) fetch_all_but_next(events);
    known_ = events.size();
    if (const core::Event* next = scheduler_.glance()) fetch(StationEvent::of(*next));
  }

 private:
  /// For a port, prefetch only the packet that it will deliver: the port was prefetched at send.
  [[gnu::always_inline]] void fetch_all_but_next(std::span<const core::Event> events) const {
    for (const core::Event& scheduled : events.first(events.size() - 1)) {
      const StationEvent event = StationEvent::of(scheduled);
      if (event.kind == EventKind::Timer)
        flows_.prefetch(event.subject);
      else if (event.kind == EventKind::PortDone)
        prefetch_expected(event.subject);
    }
  }
  [[gnu::always_inline]] void fetch(StationEvent event) const {
    if (event.kind == EventKind::Timer)
      flows_.prefetch(event.subject);
    else if (event.kind == EventKind::PortDone)
      path_.ports().prefetch(event.subject);
  }

  /// Prefetches what a port's event reads of its packet and of the receiving endpoint.
  [[gnu::always_inline]] void prefetch_expected(std::uint32_t node) const {
    const Packet& packet = path_.packets()[path_.ports()[node].expected];
    path_.decisions().prefetch(packet);
    flows_.prefetch_receiver(packet.sender);
  }

  const core::Scheduler& scheduler_;
  const PacketPath& path_;
  const Flows& flows_;
  std::size_t known_ = 0;  ///< Events at hand in the last look().
};

/// The objects that all partitions of a run share.
struct CommonParts {
  const Network& network;
  const std::vector<TrafficGroup>& traffic;
  const RunOptions& options;
  States& states;
  FlowTable& flows;
  const PartitionOfNode& partition_of;
  std::uint16_t partitions = 1;
};

/// Some or all nodes of a run, with their events, stations, sockets and counts. Partitions lets one
/// thread at a time run a partition.
class Partition {
 public:
  /// All members of `common` must outlive the partition. `sockets`: the addresses of all endpoints.
  Partition(const CommonParts& common, SocketTable sockets, std::uint16_t number);

  /// Runs all events before `end`. Requires `end` <= the run's duration. Returns false if the run
  /// ended early.
  bool run_until(Picos end);
  /// Runs all events before `end`, the end of window number `window`, and sets next_time().
  void run_window(std::uint64_t window, Picos end);
  /// Time of the next event, in this partition or caused by its mail of the last window.
  Picos next_time() const { return next_time_; }
  /// Takes the mail that the other partitions have sent in a window.
  void take_mail(const std::vector<std::unique_ptr<Partition>>& all, std::uint64_t window);
  void find_next_time();

  /// Declares that no state changes before `at`.
  void expect_change(std::optional<Picos> at) {
    path_.expect_change(at);
    if (skipper_) skipper_->expect_change(at);
  }
  // The steps of a change. All partitions take a step before any takes the next.
  /// Prepares a change of the states, which comes before all other events at `now`.
  void begin_change(Picos now, std::uint64_t window);
  /// Drops the packets and stops the endpoints of stopped nodes and ended pods.
  void stop(const node::WorldChange& changed, AffectedEndpoints& affected);
  /// Starts the endpoints whose pods run again.
  void start(AffectedEndpoints& affected) { flows_.restarts().start(affected); }
  /// Resumes the partition in a new window; its mail must be taken, too.
  void end_change(const AffectedEndpoints& affected, std::uint64_t window);

  /// The run is over: also counts packets that arrived at ports before `end`.
  void close(Picos end);
  /// Why the run ended.
  model::Ending ending() const { return ending_; }
  Picos ended_at() const { return scheduler_.now(); }
  /// Number of events so far, without the event before which a run ended early.
  std::int64_t events() const {
    return scheduler_.events() - (ending_ == model::Ending::Complete ? 0 : 1);
  }

  const Accounts& accounts() const { return accounts_; }
  const Batches& batches() const { return batches_; }
  const PacketPath& path() const { return path_; }
  /// Null if no events are left out.
  const Skipper* skipper() const { return skipper_ ? &*skipper_ : nullptr; }
  Observers& observers() { return observers_; }

 private:
  Picos next_stop() const;
  void count_at(Picos now);
  void begin_measuring();
  bool reaches(Picos stop);
  bool reaches_by_events(Picos stop);
  template <bool is_observed, bool fetches_ahead>
  bool reaches_by_events(Picos stop);
  template <bool is_observed>
  void follow_packets();
  std::int64_t next_look() const;
  bool ends_early();
  void handle(const core::Event& scheduled);

  const RunOptions& options_;
  core::Scheduler scheduler_;
  Accounts accounts_;
  Border border_;
  PacketPath path_;
  Flows flows_;
  Batches batches_;
  FetchAhead fetch_ahead_{scheduler_, path_, flows_};
  Observers observers_;
  std::optional<Skipper> skipper_;
  model::Ending ending_ = model::Ending::Complete;
  Picos stop_;       ///< All events before this time have happened and are counted.
  Picos next_time_;  ///< next_time()
  std::int64_t look_at_ = 0;
};

}  // namespace overlane::run

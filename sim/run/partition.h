#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/run/app/flows.h"
#include "sim/run/fetch_ahead.h"
#include "sim/run/observe/observers.h"
#include "sim/run/packet/batches.h"
#include "sim/run/path/border.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// What the partitions of a run have in common.
struct CommonParts {
  const Network& network;
  const std::vector<TrafficGroup>& traffic;
  const RunOptions& options;
  States& states;
  FlowTable& flows;
  const PartitionOfNode& partition_of;
  std::uint16_t partitions = 1;
};

/// Some of a run's nodes, or all of them, with what happens there: events, stations, sockets and
/// counts.
class Partition {
 public:
  /// Keeps references. `sockets`: of all flows.
  Partition(const CommonParts& common, SocketTable sockets, std::uint16_t number);

  /// Lets happen what is before `end`, which is no later than the run's. False when the run ended
  /// before.
  bool run_until(Picos end);
  /// The same for packets that are sent in window number `window`; sets next_time().
  void run_window(std::uint64_t window, Picos end);
  /// When the next event is, here or where what was sent in the last window arrives.
  Picos next_time() const { return next_time_; }
  /// Takes what the others have sent in a window.
  void take_mail(const std::vector<std::unique_ptr<Partition>>& all, std::uint64_t window);
  void find_next_time();

  /// No change of the states is before.
  void expect_change(std::optional<Picos> at) { path_.expect_change(at); }
  // The steps of a change, each of which all partitions take before the next.
  /// The states are about to change, before anything else that happens at `now`.
  void begin_change(Picos now, std::uint64_t window);
  /// They have changed: nodes and pods that are gone lose what they had.
  void stop(const node::WorldChange& changed, Flows::Turned& turned);
  /// Those that are back start. The mail of `window` comes next.
  void start(Flows::Turned& turned) { flows_.start(turned); }
  /// All goes on, in another window, of which the mail is to be taken as well.
  void end_change(const Flows::Turned& turned, std::uint64_t window);

  /// The run is over: counts what arrived at ports before `end`.
  void close(Picos end);
  /// Of a run that ended early.
  model::Ending ending() const { return ending_; }
  Picos ended_at() const { return scheduler_.now(); }
  /// Without the event at which a run ended early, which did not happen.
  std::int64_t events() const {
    return scheduler_.events() - (ending_ == model::Ending::Complete ? 0 : 1);
  }

  const Accounts& accounts() const { return accounts_; }
  const Batches& batches() const { return batches_; }
  const PacketPath& path() const { return path_; }
  const Flows& flows() const { return flows_; }
  Observers& observers() { return observers_; }

 private:
  Picos next_stop() const;
  void count_at(Picos now);
  void begin_measuring();
  bool reaches(Picos stop);
  template <bool is_observed, bool fetches_ahead>
  bool reaches(Picos stop);
  template <bool is_observed>
  void follow_packets();
  std::int64_t next_look() const;
  bool ends_early();
  void handle(const core::Event& event);

  const RunOptions& options_;
  core::Scheduler scheduler_;
  Accounts accounts_;
  Border border_;
  PacketPath path_;
  Flows flows_;
  Batches batches_;
  FetchAhead fetch_ahead_{scheduler_, path_, flows_};
  Observers observers_;
  model::Ending ending_ = model::Ending::Complete;
  Picos stop_;       ///< What is before has happened, and is counted.
  Picos next_time_;  ///< next_time()
  std::int64_t look_at_ = 0;
};

}  // namespace overlane::run

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/partition.h"
#include "sim/run/path/border.h"

namespace overlane::run {

/// The actors of a run, among them one that carries out its TimedChanges.
class Actors {
 public:
  explicit Actors(const RunOptions& options);

  /// Time of the next act of any actor; nullopt if none acts again.
  std::optional<Picos> next() const;
  /// Runs every actor that is due, until none is due.
  void act(node::WorldEditor& world, Picos now);

 private:
  std::vector<std::unique_ptr<Actor>> actors_;
};

/// How the nodes of a run are spread over partitions, which run on several threads.
struct Partitioning {
  PartitionOfNode of_node;
  std::uint16_t count = 1;
  /// Shortest time that a packet takes between two partitions; > 0 with several partitions.
  Picos look_ahead;
  std::string reason;  ///< Why there is only one although more were requested: "packets are
                       ///< traced".
};

/// Partitions of neighbouring nodes with about equally many flows each: as many as the options ask
/// for, or fewer so that threads do not mostly wait for each other. One partition if nodes affect
/// each other without delay.
Partitioning partition_nodes(const Network& network, const std::vector<TrafficGroup>& traffic,
                             const RunOptions& options);

/// The partitions of a run, on one thread or several. They run windows of simulated time, as long
/// as the look-ahead, in parallel, and exchange their mail after each (Chandy and Misra,
/// "Distributed simulation", 1979; synchronous windows as in Nicol, "The cost of conservative
/// synchronization", 1993). No result depends on the number of partitions or threads.
class Partitions {
 public:
  /// Referenced arguments must outlive this object; `how` is a result of partition_nodes(). The
  /// options' actors act on `states`.
  Partitions(const Network& network, const std::vector<TrafficGroup>& traffic,
             const RunOptions& options, const Partitioning& how, States& states, FlowTable& flows);

  /// Runs all partitions to the end. Returns false if the run ended early: see ending(), or
  /// needs_one() if it must start again with one partition.
  bool run();
  model::Ending ending() const { return ending_; }
  /// Time up to which all events have happened, in a run that ended early.
  Picos ended_at() const { return ended_at_; }
  /// Why the run must have one partition; null if it may have several.
  const char* needs_one() const { return needs_one_; }

  std::uint32_t threads() const { return threads_; }
  /// How often the states have changed.
  std::int64_t changes() const { return changes_; }
  std::int64_t packets_sent() const;
  const std::vector<std::unique_ptr<Partition>>& all() const { return all_; }
  Partition& first() const { return *all_.front(); }

 private:
  bool run_one();
  void expect_change();
  void come_to_stop();
  void change();
  void open_window();
  void look();
  void run_window(Partition& partition);
  void exchange_mail();

  const RunOptions& options_;
  const RunOptions of_part_;  ///< Options without those that Partitions itself handles.
  const Partitioning& how_;
  States& states_;
  Actors actors_;
  std::vector<std::unique_ptr<Partition>> all_;
  std::uint32_t threads_;

  // Changed only while all threads wait.
  std::uint64_t window_ = 0;
  std::uint64_t windows_to_look_ = 0;
  Picos window_end_;
  Picos stop_;                  ///< The next change, or the end of the run.
  bool is_change_due_ = false;  ///< All partitions have reached `stop_`.
  bool is_over_ = false;
  std::int64_t changes_ = 0;
  Picos ended_at_;
  model::Ending ending_ = model::Ending::Complete;
  std::atomic<const char*> needs_one_ = nullptr;  ///< Set by a window or a change that throws
                                                  ///< NeedsOnePartition, or by the limit of events.
};

}  // namespace overlane::run

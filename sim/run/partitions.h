#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/run/partition.h"
#include "sim/run/partitioning.h"

namespace overlane::run {

/// The partitions of a run, on one thread or several. They go through time in windows that are as
/// long as the look-ahead, side by side, and exchange what they sent behind each (Chandy and Misra,
/// "Distributed simulation", 1979; synchronous windows as in Nicol, "The cost of conservative
/// synchronization", 1993). No result depends on the partitions or threads.
class Partitions {
 public:
  /// Keeps references; `how` as of partition_nodes().
  Partitions(const Network& network, const std::vector<TrafficGroup>& traffic,
             const RunOptions& options, const Partitioning& how, States& states, FlowTable& flows);

  /// Lets happen what is before `end`. False when the run ended before that: see ending(), or
  /// needs_one() where it did not, and is to be begun again.
  bool run_until(Picos end);
  model::Ending ending() const { return ending_; }
  /// What is before has happened, in a run that ended early.
  Picos ended_at() const { return ended_at_; }
  /// Why the run must have one partition; null: it may have several.
  const char* needs_one() const { return needs_one_; }

  /// The states change at `now`: change() makes it, and answers what has changed.
  void change(Picos now, const std::function<node::WorldChange()>& change);
  /// No other change is before.
  void expect_change(std::optional<Picos> at) {
    for (const auto& partition : all_)
      partition->expect_change(at);
  }

  std::uint32_t threads() const { return threads_; }
  std::int64_t packets_sent() const;
  const std::vector<std::unique_ptr<Partition>>& all() const { return all_; }
  Partition& first() const { return *all_.front(); }

 private:
  void open_window();
  void look();
  void run_window(Partition& partition);
  void exchange_mail();

  const RunOptions& options_;
  const RunOptions of_part_;  ///< What a partition does not look after by itself is left out.
  const Partitioning& how_;
  std::vector<std::unique_ptr<Partition>> all_;
  std::uint32_t threads_;

  // Changes while all threads wait.
  std::uint64_t window_ = 0;
  Picos window_end_;
  Picos until_;  ///< run_until()
  bool is_over_ = false;
  Picos ended_at_;
  model::Ending ending_ = model::Ending::Complete;
  std::atomic<const char*> needs_one_ = nullptr;  ///< Or when a window shows that.
};

}  // namespace overlane::run

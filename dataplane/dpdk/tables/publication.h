#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <pthread.h>
#include <vector>

#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/dpdk/tables/generation.h"

struct rte_rcu_qsbr;

namespace overlane::dpdk {

// Replaces tables while workers read them, without locks: readers report when they are done
// with the old ones (DPDK's RCU), and Disposal frees those off the forwarding cores.

/// Frees generations for a thread that forwards, which must not stand still for the tens of
/// milliseconds that it takes: on another thread, which stays off DPDK's cores where the machine
/// has any other.
class Disposal {
 public:
  Disposal() = default;
  Disposal(const Disposal&) = delete;
  Disposal& operator=(const Disposal&) = delete;
  ~Disposal() { finish(); }

  /// Frees it once it has no other owner.
  void take(std::shared_ptr<const Generation> old);
  /// Starts to free one that has no other owner. Call it periodically.
  void tick();
  /// Frees all that have no other owner, in this thread.
  void finish();

 private:
  static void* free_one(void* self);

  std::vector<std::shared_ptr<const Generation>> old_;
  std::shared_ptr<const Generation> freed_;  ///< The thread's, while there is one.
  std::atomic<bool> done_ = false;
  std::optional<pthread_t> thread_;
};

/// What a node forwards by at one time. None of it changes but for the generation's link headers
/// and bits that are added to the exceptions, each of which anybody sees whole.
struct Tables {
  std::shared_ptr<const Generation> generation;
  std::shared_ptr<const adjacency::PuntFilter> exceptions;
};

/// Hands tables from one thread, which publishes them, to readers on other cores, who never wait
/// and never see parts of two. Old tables go when every reader has said that it has done with them
/// (DPDK's rte_rcu_qsbr).
class Publication {
 public:
  /// For so many readers, numbered from 0, none of whom reads yet.
  explicit Publication(unsigned readers);
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  /// No reader is left.
  ~Publication();

  // For the thread that publishes.

  /// Readers get these tables from now on; they must be complete.
  void publish(Tables tables);
  /// Frees the old tables without readers. Call it periodically.
  void reclaim();
  /// What was published last.
  const Tables& latest() const { return *owned_; }
  /// How many old tables may still have readers.
  std::size_t old() const { return old_.size(); }

  // For each reader, on its own thread.

  /// It reads from now on. Something must have been published.
  void enter(unsigned reader);
  /// What is published now, until its next call: says that it has done with what it read before.
  const Tables& read(unsigned reader);
  /// It has done with all.
  void leave(unsigned reader);

 private:
  struct Old {
    std::uint64_t token;
    std::unique_ptr<const Tables> tables;
  };
  struct Free {
    void operator()(rte_rcu_qsbr* readers) const;
  };

  std::unique_ptr<rte_rcu_qsbr, Free> readers_;
  std::unique_ptr<const Tables> owned_;
  std::atomic<const Tables*> current_ = nullptr;
  std::deque<Old> old_;
};

}  // namespace overlane::dpdk

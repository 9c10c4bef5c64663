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

// Replaces tables while workers read them, without locks. Readers report when they have finished
// with the old tables (DPDK's RCU, rte_rcu_qsbr), and Disposal frees those in a thread off the
// forwarding cores.

/// Frees generations in a separate thread, which avoids DPDK's cores if the machine has any others.
/// Freeing takes tens of milliseconds, for which a forwarding thread must not stop.
class Disposal {
 public:
  Disposal() = default;
  Disposal(const Disposal&) = delete;
  Disposal& operator=(const Disposal&) = delete;
  ~Disposal() { finish(); }

  /// Takes a generation and frees it once it has no other owner.
  void take(std::shared_ptr<const Generation> old);
  /// Starts to free one generation that has no other owner. Call it periodically.
  void tick();
  /// Frees all generations that have no other owner, in the calling thread.
  void finish();

 private:
  static void* free_one(void* self);

  std::vector<std::shared_ptr<const Generation>> old_;
  std::shared_ptr<const Generation> freed_;  ///< Generation that the thread is freeing.
  std::atomic<bool> done_ = false;
  std::optional<pthread_t> thread_;
};

/// The tables by which a node forwards at one time. Only the generation's link headers change, and
/// bits that are added to the exceptions; readers see each such change whole.
struct Tables {
  std::shared_ptr<const Generation> generation;
  std::shared_ptr<const adjacency::PuntFilter> exceptions;
};

/// Passes tables from one publishing thread to readers on other cores. Readers never wait and never
/// see parts of two versions. Old tables are freed after every reader has reported that it no
/// longer reads them (DPDK's rte_rcu_qsbr).
class Publication {
 public:
  /// Makes a publication for `readers` readers, numbered from 0. None of them reads yet.
  explicit Publication(unsigned readers);
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;
  /// Requires that no reader is left.
  ~Publication();

  // For the thread that publishes.

  /// Gives readers these tables from now on. They must be complete.
  void publish(Tables tables);
  /// Frees old tables that have no readers. Call it periodically.
  void reclaim();
  /// The tables that were published last.
  const Tables& latest() const { return *owned_; }
  /// Number of old tables that may still have readers.
  std::size_t old() const { return old_.size(); }

  // For each reader, on its own thread.

  /// Registers a reader. Requires that tables have been published.
  void enter(unsigned reader);
  /// Returns the current tables, valid until the reader's next call, and reports that the reader no
  /// longer uses the previous ones.
  const Tables& read(unsigned reader);
  /// Unregisters a reader, which must not use any tables after this.
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

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <pthread.h>
#include <vector>

#include "dataplane/dpdk/tables/generation.h"

namespace overlane::dpdk {

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

}  // namespace overlane::dpdk

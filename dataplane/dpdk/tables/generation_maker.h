#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <pthread.h>

#include "dataplane/dpdk/tables/generation.h"

namespace overlane::dpdk {

/// Makes a generation while others forward: on a thread that stays off DPDK's cores where the
/// machine has any other.
class GenerationMaker {
 public:
  using Made = Parsed<std::shared_ptr<const Generation>>;

  /// Runs `make` on a thread. Fails when there is none to be had.
  static Parsed<std::unique_ptr<GenerationMaker>> start(std::function<Made()> make);
  GenerationMaker(const GenerationMaker&) = delete;
  GenerationMaker& operator=(const GenerationMaker&) = delete;
  /// Waits for the thread.
  ~GenerationMaker();

  /// What came of it, once it is done. Only then, and once.
  std::optional<Made> take();

 private:
  explicit GenerationMaker(std::function<Made()> make) : make_(std::move(make)) {}
  static void* run(void* self);

  std::function<Made()> make_;
  std::optional<Made> made_;
  std::atomic<bool> done_ = false;
  std::optional<pthread_t> thread_;
};

}  // namespace overlane::dpdk

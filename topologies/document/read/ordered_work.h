#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace overlane::document {

// A small thread pool whose results arrive in the order of the jobs: the reason why the output
// of every command is independent of the number of threads. The thread that adds jobs also runs
// some and delivers all results. Jobs must not add jobs. add() and finish() are called by one
// thread.

/// Runs jobs on several threads and delivers their results in the order of the jobs, on the thread
/// that adds them, so that the output does not depend on the number of threads. The adding thread
/// runs jobs too. `add` waits if too many jobs are ahead of the next result, which bounds memory. A
/// single job starts no thread.
class OrderedWork {
 public:
  /// Called with the job's result, on the adding thread.
  using Done = std::function<void()>;
  using Job = std::function<Done()>;

  /// 0 threads: one per core.
  explicit OrderedWork(unsigned threads);
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  /// Discards jobs that `finish` did not wait for.
  ~OrderedWork();

  void add(Job job);
  /// Delivers all remaining results.
  void finish();

 private:
  struct Slot {
    Job job;
    Done done;
    bool taken = false;
    bool ready = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  void start_threads();
  void hand_on_first();
  std::shared_ptr<Slot> take();
  void run(const std::shared_ptr<Slot>& slot, Lock& lock);
  void serve();

  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable ready_;
  std::deque<std::shared_ptr<Slot>> slots_;  ///< In order; delivered ones are removed.
  bool stopping_ = false;
  unsigned wanted_threads_;
  std::size_t most_;  ///< Maximum number of slots.
  std::vector<std::thread> threads_;
};

}  // namespace overlane::document

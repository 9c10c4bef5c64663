#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace overlane::document {

/// Runs jobs on several threads and hands their results on in the order of the jobs, on the thread
/// that adds them, so that nobody can tell how many threads there were. That thread works too. Few
/// jobs are ahead of the one whose result is next: adding waits, which bounds the memory. Threads
/// are not started for a single job.
class OrderedWork {
 public:
  /// What is done with the result.
  using Done = std::function<void()>;
  using Job = std::function<Done()>;

  /// 0 threads: as many as there are cores.
  explicit OrderedWork(unsigned threads);
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  /// Lets go of jobs that nobody waited for with `finish`.
  ~OrderedWork();

  void add(Job job);
  /// Hands on what is left.
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
  std::deque<std::shared_ptr<Slot>> slots_;  ///< In order; those handed on are gone.
  bool stopping_ = false;
  unsigned wanted_threads_;
  std::size_t most_;  ///< Slots that wait.
  std::vector<std::thread> threads_;
};

}  // namespace overlane::document

#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace overlane::document {

// A small thread pool that delivers results in the order of the jobs, so that the output of every
// command is independent of the number of threads. The thread that adds jobs also runs some and
// delivers all results. Jobs must not add jobs. add() and finish() are called by one thread.

/// Runs jobs on several threads and delivers their results in the order of the jobs, on the thread
/// that adds them. `add` waits if too many jobs are ahead of the next result, which bounds memory.
/// A single job starts no thread.
class OrderedWork {
 public:
  /// 0 threads: one per core.
  explicit OrderedWork(unsigned threads);
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;
  /// Discards jobs that `finish` did not wait for.
  ~OrderedWork();

  /// Calls `work` on any thread, and `deliver` with its result on the adding thread.
  template <typename Work, typename Deliver>
  void add(Work work, Deliver deliver) {
    add(std::make_unique<JobOf<Work, Deliver>>(std::move(work), std::move(deliver)));
  }
  /// Delivers all remaining results.
  void finish();

 private:
  class Job {
   public:
    virtual ~Job() = default;
    virtual void run() = 0;
    virtual void deliver() = 0;

    bool taken = false;
    bool ready = false;
  };
  template <typename Work, typename Deliver>
  class JobOf : public Job {
   public:
    JobOf(Work work, Deliver deliver) : work_(std::move(work)), deliver_(std::move(deliver)) {}
    void run() override {
      result_.emplace((*work_)());
      work_.reset();
    }
    void deliver() override { deliver_(*std::move(result_)); }

   private:
    std::optional<Work> work_;  ///< Empty after it has run.
    Deliver deliver_;
    std::optional<std::invoke_result_t<Work&>> result_;
  };
  using Lock = std::unique_lock<std::mutex>;

  void add(std::unique_ptr<Job> job);
  void start_threads();
  void deliver_first();
  Job* take();
  void run(Job& job, Lock& lock);
  void serve();

  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable ready_;
  std::deque<std::unique_ptr<Job>> jobs_;  ///< In order, without delivered jobs.
  bool stopping_ = false;
  unsigned wanted_threads_;
  std::size_t max_jobs_;
  std::vector<std::thread> threads_;
};

}  // namespace overlane::document

#include "topologies/document/read/ordered_work.h"

#include <algorithm>
#include <utility>

namespace overlane::document {
namespace {

constexpr std::size_t kJobsPerThread = 3;

}  // namespace

OrderedWork::OrderedWork(unsigned threads)
    : wanted_threads_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      max_jobs_(wanted_threads_ == 1 ? 0 : wanted_threads_ * kJobsPerThread) {}

OrderedWork::~OrderedWork() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void OrderedWork::add(std::unique_ptr<Job> job) {
  {
    const Lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  if (jobs_.size() > 1 && threads_.empty()) start_threads();
  added_.notify_one();
  while (jobs_.size() > max_jobs_)
    deliver_first();
}

void OrderedWork::finish() {
  while (!jobs_.empty())
    deliver_first();
}

void OrderedWork::start_threads() {
  for (unsigned i = 1; i < wanted_threads_; ++i)
    threads_.emplace_back([this] { serve(); });
}

// Only the adding thread changes the number of jobs, so this function reads it without the lock.
void OrderedWork::deliver_first() {
  std::unique_ptr<Job> first;
  {
    Lock lock(mutex_);
    while (!jobs_.front()->ready) {
      if (Job* job = take())
        run(*job, lock);
      else
        ready_.wait(lock);
    }
    first = std::move(jobs_.front());
    jobs_.pop_front();
  }
  first->deliver();
}

OrderedWork::Job* OrderedWork::take() {
  const auto free = std::ranges::find(jobs_, false, [](const auto& job) { return job->taken; });
  if (free == jobs_.end()) return nullptr;
  (*free)->taken = true;
  return free->get();
}

void OrderedWork::run(Job& job, Lock& lock) {
  lock.unlock();
  job.run();
  lock.lock();
  job.ready = true;
  ready_.notify_one();
}

void OrderedWork::serve() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (Job* job = take())
      run(*job, lock);
    else
      added_.wait(lock);
  }
}

}  // namespace overlane::document

#include "topologies/document/read/ordered_work.h"

#include <algorithm>
#include <utility>

namespace overlane::document {
namespace {

constexpr std::size_t kSlotsPerThread = 3;

}  // namespace

OrderedWork::OrderedWork(unsigned threads)
    : wanted_threads_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      most_(wanted_threads_ == 1 ? 0 : wanted_threads_ * kSlotsPerThread) {}

OrderedWork::~OrderedWork() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  added_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
}

void OrderedWork::add(Job job) {
  {
    const Lock lock(mutex_);
    slots_.push_back(std::make_shared<Slot>(Slot{.job = std::move(job)}));
  }
  if (slots_.size() > 1 && threads_.empty()) start_threads();
  added_.notify_one();
  while (slots_.size() > most_)
    hand_on_first();
}

void OrderedWork::finish() {
  while (!slots_.empty())
    hand_on_first();
}

void OrderedWork::start_threads() {
  for (unsigned i = 1; i < wanted_threads_; ++i)
    threads_.emplace_back([this] { serve(); });
}

// Only the adding thread changes the number of slots, so it reads that without the lock.
void OrderedWork::hand_on_first() {
  const std::shared_ptr<Slot> first = slots_.front();
  {
    Lock lock(mutex_);
    while (!first->ready) {
      if (const auto slot = take())
        run(slot, lock);
      else
        ready_.wait(lock);
    }
    slots_.pop_front();
  }
  first->done();
}

std::shared_ptr<OrderedWork::Slot> OrderedWork::take() {
  const auto free = std::ranges::find(slots_, false, [](const auto& slot) { return slot->taken; });
  if (free == slots_.end()) return nullptr;
  (*free)->taken = true;
  return *free;
}

void OrderedWork::run(const std::shared_ptr<Slot>& slot, Lock& lock) {
  lock.unlock();
  slot->done = std::exchange(slot->job, nullptr)();
  lock.lock();
  slot->ready = true;
  ready_.notify_one();
}

void OrderedWork::serve() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (const auto slot = take())
      run(slot, lock);
    else
      added_.wait(lock);
  }
}

}  // namespace overlane::document

#include "dataplane/dpdk/tables/disposal.h"

#include <algorithm>
#include <rte_lcore.h>

namespace overlane::dpdk {

void Disposal::take(std::shared_ptr<const Generation> old) {
  // One may have been in use again meanwhile.
  if (std::ranges::find(old_, old) == old_.end()) old_.push_back(std::move(old));
}

void Disposal::tick() {
  if (thread_ && !done_.load(std::memory_order_acquire)) return;
  if (thread_) pthread_join(*thread_, nullptr);
  thread_.reset();
  const auto alone =
      std::ranges::find_if(old_, [](const auto& one) { return one.use_count() == 1; });
  if (alone == old_.end()) return;
  freed_ = std::move(*alone);
  old_.erase(alone);
  done_.store(false, std::memory_order_relaxed);
  pthread_t thread{};
  if (rte_ctrl_thread_create(&thread, "dispose", nullptr, free_one, this) == 0) {
    thread_ = thread;
  } else {
    freed_.reset();
  }
}

void* Disposal::free_one(void* self) {
  auto& disposal = *static_cast<Disposal*>(self);
  disposal.freed_.reset();
  disposal.done_.store(true, std::memory_order_release);
  return nullptr;
}

void Disposal::finish() {
  if (thread_) pthread_join(*thread_, nullptr);
  thread_.reset();
  old_.clear();
}

}  // namespace overlane::dpdk

#include "dataplane/dpdk/tables/publication.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <rte_lcore.h>
#include <rte_rcu_qsbr.h>

namespace overlane::dpdk {

void Disposal::take(std::shared_ptr<const Generation> old) {
  // A generation may have been in use again and be listed already.
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

Publication::Publication(unsigned readers) {
  const std::uint32_t most = std::max(readers, 1u);
  void* memory = std::aligned_alloc(RTE_CACHE_LINE_SIZE, rte_rcu_qsbr_get_memsize(most));
  if (memory == nullptr) throw std::bad_alloc();
  readers_.reset(static_cast<rte_rcu_qsbr*>(memory));
  rte_rcu_qsbr_init(readers_.get(), most);
  for (unsigned reader = 0; reader < readers; ++reader)
    rte_rcu_qsbr_thread_register(readers_.get(), reader);
}

Publication::~Publication() = default;

void Publication::publish(Tables tables) {
  auto next = std::make_unique<const Tables>(std::move(tables));
  current_.store(next.get(), std::memory_order_release);
  std::swap(owned_, next);
  if (next) old_.push_back({rte_rcu_qsbr_start(readers_.get()), std::move(next)});
  reclaim();
}

void Publication::reclaim() {
  while (!old_.empty() && rte_rcu_qsbr_check(readers_.get(), old_.front().token, false) == 1)
    old_.pop_front();
}

void Publication::enter(unsigned reader) {
  rte_rcu_qsbr_thread_online(readers_.get(), reader);
}

const Tables& Publication::read(unsigned reader) {
  rte_rcu_qsbr_quiescent(readers_.get(), reader);
  return *current_.load(std::memory_order_acquire);
}

void Publication::leave(unsigned reader) {
  rte_rcu_qsbr_thread_offline(readers_.get(), reader);
}

void Publication::Free::operator()(rte_rcu_qsbr* readers) const {
  std::free(readers);  // NOLINT: aligned_alloc
}

}  // namespace overlane::dpdk

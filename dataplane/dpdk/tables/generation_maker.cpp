#include "dataplane/dpdk/tables/generation_maker.h"

#include <exception>
#include <rte_lcore.h>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk {

Parsed<std::unique_ptr<GenerationMaker>> GenerationMaker::start(std::function<Made()> make) {
  std::unique_ptr<GenerationMaker> maker(new GenerationMaker(std::move(make)));
  pthread_t thread{};
  const int error = rte_ctrl_thread_create(&thread, "compile", nullptr, run, maker.get());
  if (error != 0) return fail(dpdk_error("no thread to compile a state on", error));
  maker->thread_ = thread;
  return maker;
}

GenerationMaker::~GenerationMaker() {
  if (thread_) pthread_join(*thread_, nullptr);
}

void* GenerationMaker::run(void* self) {
  auto& maker = *static_cast<GenerationMaker*>(self);
  try {
    maker.made_ = maker.make_();
  } catch (const std::exception& error) {
    // Memory, for one: those who forward need it more.
    maker.made_ = fail(std::string(error.what()));
  }
  maker.done_.store(true, std::memory_order_release);
  return nullptr;
}

std::optional<GenerationMaker::Made> GenerationMaker::take() {
  if (!done_.load(std::memory_order_acquire)) return std::nullopt;
  return std::exchange(made_, std::nullopt);
}

}  // namespace overlane::dpdk

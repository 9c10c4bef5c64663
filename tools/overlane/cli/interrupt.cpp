#include "tools/overlane/cli/interrupt.h"

#include <unistd.h>

#include "tools/overlane/cli/exit_code.h"

namespace overlane::command {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

/// Global, for the signal handler.
std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void ask_or_end(int) {
  if (stop_asked.exchange(true)) _exit(static_cast<int>(ExitCode::Interrupted));
}

}  // namespace

Interrupt::Interrupt() {
  stop_asked = false;
  struct sigaction action {};
  action.sa_handler = ask_or_end;
  action.sa_flags = SA_RESTART;  // Pending writes are completed.
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &before_[i]);
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &before_[i], nullptr);
}

const std::atomic<bool>& Interrupt::asked() const {
  return stop_asked;
}

}  // namespace overlane::command

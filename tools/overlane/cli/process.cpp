#include "tools/overlane/cli/process.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include "tools/overlane/cli/verbs.h"

namespace overlane::command {

namespace {

constexpr const char* kUnknown = "unknown";

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find(": ");
    if (value != std::string::npos) return line.substr(value + 2);
  }
  return kUnknown;
}

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : kUnknown;
}

/// Reads the numbers of /proc/meminfo: KiB, or counts of pages.
std::map<std::string, std::int64_t> memory_facts() {
  std::map<std::string, std::int64_t> facts;
  std::ifstream info("/proc/meminfo");
  std::int64_t number = 0;
  for (std::string key, rest; info >> key >> number; std::getline(info, rest))
    facts[key] = number;
  return facts;
}

constexpr std::int64_t kKibi = 1024;

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

double load_of_last_minute() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace

model::Environment this_environment() {
  auto memory = memory_facts();
  return {.overlane_version = OVERLANE_VERSION,
          .commit = std::string(built_commit()),
          .compiler = OVERLANE_COMPILER,
          .flags = OVERLANE_FLAGS,
          .build_type = OVERLANE_BUILD_TYPE,
          .cpu_model = cpu_model(),
          .kernel = kernel_release(),
          .cores = std::thread::hardware_concurrency(),
          .memory_bytes = memory["MemTotal:"] * kKibi,
          .started_ms = unix_ms(),
          .load = load_of_last_minute(),
          .hugepages = {.total = memory["HugePages_Total:"],
                        .free = memory["HugePages_Free:"],
                        .size_bytes = memory["Hugepagesize:"] * kKibi}};
}

std::optional<Bytes> available_memory() {
  const auto facts = memory_facts();
  const auto available = facts.find("MemAvailable:");
  if (available == facts.end()) return std::nullopt;
  return Bytes{available->second * kKibi};
}

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};

/// A global variable, because the signal handler sets it.
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

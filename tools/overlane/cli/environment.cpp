#include "tools/overlane/cli/environment.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <sys/utsname.h>
#include <thread>

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

}  // namespace

model::Environment this_environment() {
  return {.overlane_version = OVERLANE_VERSION,
          .compiler = OVERLANE_COMPILER,
          .build_type = OVERLANE_BUILD_TYPE,
          .cpu_model = cpu_model(),
          .kernel = kernel_release(),
          .cores = std::thread::hardware_concurrency()};
}

std::optional<Bytes> available_memory() {
  std::ifstream info("/proc/meminfo");
  std::int64_t kibibytes = 0;
  for (std::string key, rest; info >> key >> kibibytes; std::getline(info, rest)) {
    if (key == "MemAvailable:") return Bytes{kibibytes * 1024};
  }
  return std::nullopt;
}

}  // namespace overlane::command

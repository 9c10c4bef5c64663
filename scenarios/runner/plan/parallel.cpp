#include "scenarios/runner/plan/parallel.h"

#include <fstream>
#include <sstream>
#include <string>

namespace overlane::runner {

std::optional<std::uint32_t> allowed_cores(std::string_view cpu_max) {
  std::istringstream words{std::string(cpu_max)};
  std::int64_t quota = 0;
  std::int64_t period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<std::uint32_t>((quota + period - 1) / period);
}

std::uint32_t thread_count(std::uint32_t asked) {
  if (asked != 0) return asked;
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  // In a container, this file has the limit of the container's control group.
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string cpu_max;
  std::getline(file, cpu_max);
  return std::min(cores, allowed_cores(cpu_max).value_or(cores));
}

}  // namespace overlane::runner

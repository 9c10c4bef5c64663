#include "dataplane/kernel/traffic/cpu_times.h"

#include <fstream>
#include <string>
#include <unistd.h>

namespace overlane::kernel {

CpuTimes CpuTimes::operator-(const CpuTimes& earlier) const {
  return {.user = user - earlier.user,
          .system = system - earlier.system,
          .softirq = softirq - earlier.softirq,
          .idle = idle - earlier.idle,
          .stolen = stolen - earlier.stolen};
}

CpuTimes& CpuTimes::operator+=(const CpuTimes& other) {
  user += other.user;
  system += other.system;
  softirq += other.softirq;
  idle += other.idle;
  stolen += other.stolen;
  return *this;
}

CpuTimes read_cpu_times() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  file >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {.user = (user + nice) / ticks,
          .system = system / ticks,
          .softirq = (irq + softirq) / ticks,
          .idle = (idle + iowait) / ticks,
          .stolen = steal / ticks};
}

}  // namespace overlane::kernel

#include "dataplane/dpdk/testing/running_eal.h"

#include <sched.h>

namespace overlane::dpdk::testing {

const std::vector<unsigned>& cores() {
  static const std::vector<unsigned> found = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<unsigned> cores;
    for (unsigned core = 0; core < CPU_SETSIZE && cores.size() < 2; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    return cores;
  }();
  return found;
}

Eal& eal() {
  static Eal started = [] {
    EalOptions options{.cores = cores(), .hugepages = false, .memory_mib = 1024};
    for (int i = 0; i < 12; ++i)
      options.devices.push_back("net_null" + std::to_string(i));
    return *Eal::start(options);
  }();
  return started;
}

}  // namespace overlane::dpdk::testing

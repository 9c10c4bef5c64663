#include "dataplane/dpdk/testing/running_eal.h"

namespace overlane::dpdk::testing {

const std::vector<unsigned>& cores() {
  static const std::vector<unsigned> found = own_cores(2);
  return found;
}

Eal& eal() {
  static Eal started = [] {
    EalOptions options{.cores = cores(), .hugepages = false, .memory_mib = 1024};
    for (int i = 0; i < 28; ++i)
      options.devices.push_back("net_null" + std::to_string(i));
    return *Eal::start(options);
  }();
  return started;
}

}  // namespace overlane::dpdk::testing

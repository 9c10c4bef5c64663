#pragma once

#include <vector>

#include "dataplane/dpdk/io/eal.h"

namespace overlane::dpdk::testing {

/// Two of the machine's cores where it has so many, else one.
const std::vector<unsigned>& cores();

/// EAL starts once in a process: without hugepages, which a machine that tests may not have, on
/// cores(), and with ports net_null0 to net_null11, since a port that was stopped is gone.
Eal& eal();

}  // namespace overlane::dpdk::testing

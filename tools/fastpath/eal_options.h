#pragma once

#include <string>

#include "dataplane/dpdk/io/eal.h"

namespace CLI {
class App;
}

namespace overlane::fastpath {

/// Adds --cores, --memory and --no-hugepages to a verb. `cores` describes the use of the cores.
void add_eal_options(CLI::App& verb, dpdk::EalOptions& options, const std::string& cores);

}  // namespace overlane::fastpath

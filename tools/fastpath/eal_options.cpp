#include "tools/fastpath/eal_options.h"

#include <CLI/CLI.hpp>

namespace overlane::fastpath {

void add_eal_options(CLI::App& verb, dpdk::EalOptions& options, const std::string& cores) {
  verb.add_option("--cores,--core", options.cores, cores)
      ->type_name("CORE[,CORE...]")
      ->delimiter(',')
      ->check(CLI::Range(0, 1023));
  verb.add_option("--memory", options.memory_mib, "MiB for tables and packets")
      ->check(CLI::Range(128, 1 << 20));
  verb.add_flag_callback(
      "--no-hugepages", [&options] { options.hugepages = false; }, "Use ordinary memory");
}

}  // namespace overlane::fastpath

#pragma once

#include <string>
#include <vector>

#include "bench/engine/workload.h"
#include "results/finding/result.h"

namespace overlane::bench {

struct EngineOptions {
  std::vector<Workload> workloads;
  int repeat = 1;           ///< At least 1.
  bool json = false;        ///< One document instead of a table.
  bool in_process = false;  ///< Without children, for profilers; peaks of memory add up.
  bool list = false;        ///< Only names the workloads.
};

/// What was given instead of options that can be used.
struct WrongUse {
  std::string text;  ///< For people; the help when it was asked for.
  int exit_code = 2;
};

/// `arguments` without the program's name.
Result<EngineOptions, WrongUse> parse_options(std::vector<std::string> arguments);

}  // namespace overlane::bench

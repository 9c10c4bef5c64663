#pragma once

#include <string>
#include <vector>

#include "bench/engine/workload.h"
#include "results/finding/finding.h"

namespace overlane::bench {

struct EngineOptions {
  std::vector<Workload> workloads;
  int repeat = 1;           ///< At least 1.
  bool json = false;        ///< One document instead of a table.
  bool in_process = false;  ///< In this process, for profilers; memory peaks then add up.
  bool list = false;        ///< Only lists the workloads.
  bool limit = false;       ///< The least that any engine has to do, instead of the engine.
};

/// Invalid options, or a request for help.
struct WrongUse {
  std::string text;  ///< The error text, or the help if requested.
  int exit_code = 2;
};

/// `arguments` without the program's name.
Result<EngineOptions, WrongUse> parse_options(std::vector<std::string> arguments);

}  // namespace overlane::bench

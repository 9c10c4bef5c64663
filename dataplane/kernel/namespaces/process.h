#pragma once

#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::kernel {

/// How a program ended.
struct Exit {
  int code = 0;        ///< 128 + signal when a signal ended it, as in a shell.
  std::string output;  ///< Standard output and standard error.
};

/// Runs a program with `input` as its standard input, in the calling thread's network namespace,
/// and waits for it. It dies with the calling thread. `inherited` descriptors stay open in it under
/// their numbers. Fails when the program cannot be started.
Parsed<Exit> run_program(const std::vector<std::string>& arguments, const std::string& input,
                         const std::vector<int>& inherited = {});

}  // namespace overlane::kernel

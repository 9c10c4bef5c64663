#pragma once

#include <array>
#include <string_view>

namespace overlane::command {

/// Exit codes of the process.
enum class ExitCode : int {
  Clean = 0,
  Finding = 1,
  Usage = 2,
  NoInput = 3,
  RunFailed = 4,
  Internal = 5,
  Interrupted = 130,
};

struct ExitCodeFacts {
  ExitCode code;
  std::string_view meaning;
};

inline constexpr std::array kExitCodes = {
    ExitCodeFacts{ExitCode::Clean, "clean"},
    ExitCodeFacts{ExitCode::Finding,
                  "a finding at or above --fail-on, a packet that was not delivered, a switch with "
                  "an outage, or a regression"},
    ExitCodeFacts{ExitCode::Usage, "the command line is wrong"},
    ExitCodeFacts{ExitCode::NoInput, "no input was usable"},
    ExitCodeFacts{ExitCode::RunFailed, "the run failed, or its result could not be written"},
    ExitCodeFacts{ExitCode::Internal, "internal error"},
    ExitCodeFacts{ExitCode::Interrupted, "interrupted"},
};

}  // namespace overlane::command

#pragma once

#include <array>
#include <functional>
#include <string_view>

namespace CLI {
class App;
}

// The list of verbs and exit codes. For each verb, a function adds the verb to the program, and its
// action returns the exit code of the process.
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

/// The action of the chosen verb.
using Action = std::function<ExitCode()>;

// Each function adds one verb to the program and sets `chosen` if the command line names the verb.
void add_bench(CLI::App& program, Action& chosen);
void add_bisect(CLI::App& program, Action& chosen);
void add_calibrate(CLI::App& program, Action& chosen);
void add_check(CLI::App& program, Action& chosen);
void add_compare(CLI::App& program, Action& chosen);
void add_completion(CLI::App& program, Action& chosen);
void add_decode(CLI::App& program, Action& chosen);
void add_explain(CLI::App& program, Action& chosen);
void add_reference(CLI::App& program, Action& chosen);
void add_mcp(CLI::App& program, Action& chosen);
void add_merge(CLI::App& program, Action& chosen);
void add_migrate(CLI::App& program, Action& chosen);
void add_overlap(CLI::App& program, Action& chosen);
void add_report(CLI::App& program, Action& chosen);
void add_run(CLI::App& program, Action& chosen);
void add_schema(CLI::App& program, Action& chosen);
void add_search(CLI::App& program, Action& chosen);
void add_store(CLI::App& program, Action& chosen);
void add_sweep(CLI::App& program, Action& chosen);
void add_testbed(CLI::App& program, Action& chosen);
void add_trace(CLI::App& program, Action& chosen);
void add_trend(CLI::App& program, Action& chosen);
void add_version(CLI::App& program, Action& chosen);

}  // namespace overlane::command

#pragma once

#include <functional>

#include "tools/overlane/cli/exit_code.h"

namespace CLI {
class App;
}

namespace overlane::command {

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

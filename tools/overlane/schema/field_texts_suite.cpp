#include <array>

#include "tools/overlane/schema/field_texts.h"

namespace overlane::command {

std::span<const FieldText> suite_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What is run, and what is measured of it."},
      FieldText{"spec.description", "For your own use."},
      FieldText{"spec.rounds", "How often cases with times are run."},
      FieldText{"spec.rounds.least", "Rounds of each build at least; 5 by default."},
      FieldText{"spec.rounds.most",
                "Rounds at most, beside another build, until the intervals are narrow enough; 20 "
                "by default."},
      FieldText{"spec.rounds.runs",
                "How often a program runs in each round, of which the best counts; 1 by default."},
      FieldText{"spec.timeout", "How long a program may run; 600s by default."},
      FieldText{"spec.accepted", "Changes that are meant, until the base moves."},
      FieldText{"spec.accepted[]",
                "Metrics that may be worse or other than those of one base commit."},
      FieldText{"spec.accepted[].case", "The name of the case; * stands for any characters."},
      FieldText{"spec.accepted[].metric", "The name of the metric; * stands for any characters."},
      FieldText{"spec.accepted[].base",
                "The base's commit, or its beginning; with another base the entry has no effect."},
      FieldText{"spec.accepted[].reason", "Why; reports state it."},
      FieldText{"spec.cases", "The cases, in the order in which they run."},
      FieldText{"spec.cases[]",
                "A program; exactly one of scenario, benchmark, fastpath, command."},
      FieldText{"spec.cases[].name", "The name in results and messages, once in the suite."},
      FieldText{"spec.cases[].owner", "Whom a regression concerns: a folder, a team."},
      FieldText{"spec.cases[].timeout", "Of this case, instead of the suite's."},
      FieldText{"spec.cases[].exitCodes",
                "The exit codes with which a result counts; 0 by default."},
      FieldText{"spec.cases[].exitCodes[]", "An exit code."},
      FieldText{"spec.cases[].scenario", "A run of `overlane run` on one thread."},
      FieldText{"spec.cases[].scenario.path",
                "The Scenario or manifest, relative to the suite's folder."},
      FieldText{"spec.cases[].scenario.arguments", "More arguments."},
      FieldText{"spec.cases[].scenario.arguments[]", "An argument."},
      FieldText{"spec.cases[].benchmark", "A program with Google Benchmark."},
      FieldText{
          "spec.cases[].benchmark.program",
          "Its name in the build's folder or its subfolder bench; overlane_bench by default."},
      FieldText{"spec.cases[].benchmark.filter",
                "The benchmarks to run, as a regular expression; all by default."},
      FieldText{"spec.cases[].benchmark.arguments", "More arguments."},
      FieldText{"spec.cases[].benchmark.arguments[]", "An argument."},
      FieldText{"spec.cases[].fastpath", "A run of `overlane-fastpath bench`."},
      FieldText{"spec.cases[].fastpath.path", "The manifest, relative to the suite's folder."},
      FieldText{"spec.cases[].fastpath.arguments", "More arguments."},
      FieldText{"spec.cases[].fastpath.arguments[]", "An argument."},
      FieldText{"spec.cases[].command",
                "Any program that prints JSON, and its arguments; without a slash in its name it "
                "is one of the build, or of the PATH. It runs in the suite's folder."},
      FieldText{"spec.cases[].command[]", "The program, then an argument each."},
      FieldText{"spec.cases[].matrix",
                "Names with lists of values: the case is run for each combination, and {name} in "
                "its paths and arguments is the value."},
      FieldText{"spec.cases[].metrics",
                "What is measured; scenario, benchmark and fastpath have usual ones."},
      FieldText{"spec.cases[].metrics[]", "Values that are measured and judged alike."},
      FieldText{
          "spec.cases[].metrics[].value",
          "The names of the values: keys of the result's JSON, joined by slashes, an item of "
          "a list by its name; * stands for any characters. Of the process: "
          "process/wall_seconds, user_seconds, system_seconds, peak_rss_bytes, instructions."},
      FieldText{"spec.cases[].metrics[].unit", "The unit, for tables: ns, bytes."},
      FieldText{"spec.cases[].metrics[].better", "Which way it gets better."},
      FieldText{"spec.cases[].metrics[].tolerance",
                "exact: must be equal; instructions: callgrind's count, 0.1 %; time: 5 %; "
                "memory-bound-time: 12 %."},
  };
  return kTexts;
}

}  // namespace overlane::command

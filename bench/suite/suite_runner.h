#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/suite/suite.h"
#include "bench/yardstick/yardstick.h"
#include "results/model/suite_run.h"

namespace overlane::suite {

/// The current round of a case, for progress messages.
struct Round {
  std::uint32_t number = 0;  ///< From 1.
  std::uint32_t min = 1;
  std::uint32_t max = 1;
};

/// Options of a suite runner. References must outlive the runner.
struct SuiteRunnerOptions {
  Rounds rounds;
  const std::atomic<bool>* stop = nullptr;     ///< If it becomes true, the case ends at once.
  std::function<void(const Round&)> on_round;  ///< Called before each round; may be empty.
};

/// Runs the cases of a suite with the programs of one or two builds.
///
/// A case with times runs in rounds. In each round, every build's program runs as often as the
/// suite says, in alternating order, and the yardsticks are measured before and after it. With two
/// builds, rounds are repeated up to `most` until, for every time, the interval of the ratio is
/// narrower than half the tolerance on each side. A case without times runs once. For metrics of
/// callgrind, the program runs once more under callgrind.
///
/// A program that crashes, hangs or prints invalid output ends its case, but not the run of the
/// suite.
class SuiteRunner {
 public:
  /// `builds`: the folders of the programs of one build, or of the changed build and the base. The
  /// suite must outlive the runner.
  SuiteRunner(const Suite& suite, std::vector<std::string> builds, SuiteRunnerOptions options);

  /// Returns the measurements of each build, in their order, or nothing if stopped.
  std::optional<std::vector<model::CaseRun>> run(const SuiteCase& one);

 private:
  const Suite* suite_;
  std::vector<std::string> builds_;
  SuiteRunnerOptions options_;
  bench::Yardstick yardstick_;
};

/// Runs a case once, without measuring times. May run in several threads for different cases.
/// Returns nothing if stopped.
std::optional<model::CaseRun> run_once(const Suite& suite, const SuiteCase& one,
                                       const std::string& build, const std::atomic<bool>& stop);

/// The file of a build's program: in the build's folder or in its subfolder bench. Returns the name
/// unchanged if it contains a slash or the file is in neither folder.
std::string find_program(const std::string& build, const std::string& name);

}  // namespace overlane::suite

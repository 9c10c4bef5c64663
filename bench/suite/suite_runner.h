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

/// One round of a case, for who watches.
struct Round {
  std::uint32_t number = 0;  ///< From 1.
  std::uint32_t least = 1;
  std::uint32_t most = 1;
};

/// How cases are run. References must outlive the runner.
struct SuiteRunnerOptions {
  Rounds rounds;
  const std::atomic<bool>* stop = nullptr;     ///< Ends the case at once.
  std::function<void(const Round&)> on_round;  ///< Before each round; may be empty.
};

/// Runs the cases of a suite with the programs of one or two builds.
///
/// A case with times runs in rounds: in each, every build's program runs as often as the suite
/// says, in alternating order, with the yardsticks measured before and after it. With two builds
/// there are more rounds, up to `most`, until the interval of the ratio of every time is narrower
/// than half its tolerance on each side. A case without times runs once. Metrics of callgrind are
/// counted once more under it.
///
/// A program that crashes, hangs or prints something else ends its case, not the run of the suite.
class SuiteRunner {
 public:
  /// `builds`: the folders of the programs; one, or the changed build and the base. The suite must
  /// outlive the runner.
  SuiteRunner(const Suite& suite, std::vector<std::string> builds, SuiteRunnerOptions options);

  /// Measurements of each build, in their order; nothing if it was stopped.
  std::optional<std::vector<model::CaseRun>> run(const SuiteCase& one);

 private:
  const Suite* suite_;
  std::vector<std::string> builds_;
  SuiteRunnerOptions options_;
  bench::Yardstick yardstick_;
};

/// Runs a case once, without its times: for many cases at once, of which each is another one.
/// Nothing if it was stopped.
std::optional<model::CaseRun> run_once(const Suite& suite, const SuiteCase& one,
                                       const std::string& build, const std::atomic<bool>& stop);

/// The file of a program of a build: in its folder, or in its subfolder bench; the name alone if it
/// is in neither, or has a slash.
std::string find_program(const std::string& build, const std::string& name);

}  // namespace overlane::suite

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/observe/other_traffic.h"
#include "scenarios/migration/simulate.h"

namespace overlane::migration {

enum class Verdict : std::uint8_t {
  Go,      ///< Nothing is interrupted for longer than allowed.
  Outage,  ///< Some connections are, and all recover.
  NoGo,    ///< Some never recover, or the switch does not complete.
};
std::string_view to_string(Verdict verdict);

/// The smallest, the median and the largest value over the seeds.
struct Spread {
  Picos least;
  Picos median;
  Picos most;
};

/// The outages of one class of connections under a strategy, over the seeds.
struct ClassResult {
  PairClass which{};
  std::uint64_t connections = 0;
  std::uint64_t affected = 0;                           ///< At most, of all seeds.
  std::uint64_t lasting = 0;                            ///< At most.
  Spread longest;                                       ///< The longest outage of a run.
  std::vector<std::pair<Drop, std::uint64_t>> reasons;  ///< Of the first seed.
  std::optional<Drop> lasting_reason;                   ///< Why one that lasts does.
};

/// What a strategy leads to.
struct StrategyResult {
  const Strategy* strategy = nullptr;  ///< Of Loaded::strategies.
  Verdict verdict = Verdict::Go;
  std::vector<ClassResult> classes;
  Spread duration;                           ///< Until the last component has acted.
  std::vector<TrafficResult> other_traffic;  ///< Of the first seed.
  std::vector<std::string> blockers;         ///< Why the switch does not complete.
  Course course;                             ///< Of the first seed.

  /// The longest outage of any class and seed.
  Picos longest() const;
  std::uint64_t lasting() const;
};

/// An uncertain parameter, and the longest outage at both ends of its range.
struct Sensitivity {
  model::Assumption assumption;
  Picos at_least;  ///< Longest outage with the lowest value; kNever: one is never over.
  Picos at_most;   ///< With the highest; the same.

  Picos effect() const { return at_most > at_least ? at_most - at_least : at_least - at_most; }
};

/// Something that is otherwise after the switch, and what to do about it.
struct Leftover {
  std::string what;
  std::string remedy;
};

struct Evaluation {
  std::vector<StrategyResult> strategies;  ///< In the order asked for.
  std::size_t recommended = 0;             ///< Which of them.
  std::vector<Sensitivity> sensitivities;  ///< Of the recommended one, the largest effect first.
  std::vector<Leftover> leftovers;         ///< Of the recommended one.

  const StrategyResult& best() const { return strategies[recommended]; }
};

struct EvaluationOptions {
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;  ///< 0: one per core. Does not change results.
};

/// Simulates all strategies of what was loaded.
Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options);

}  // namespace overlane::migration

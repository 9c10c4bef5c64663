#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/migration/evaluate.h"

// The assessment of a switch at several node counts: the minimum of the worker pools, the number of
// Nodes among the manifests, and the maximum of the pools, which cluster-autoscaler may reach. If
// the command line or a Topology gives a count, only this count is assessed. The verdict is the
// worst over the counts, and the headline says at which count it becomes worse. encode() writes the
// assessment as JSON.

namespace overlane::migration {

/// The largest number of nodes that is simulated.
inline constexpr std::uint32_t kMaxSimulatedNodes = 2000;

/// The switch at one node count. `evaluation` refers to `*loaded`.
struct CountedSwitch {
  std::uint32_t nodes = 0;
  std::unique_ptr<const Loaded> loaded;
  Evaluation evaluation;
};

/// The verdict of the recommended strategy at one node count.
struct CountVerdict {
  std::uint32_t nodes = 0;
  MigrationVerdict verdict{};  ///< The worst of all conditions.
  std::string reason;
};

struct Assessment {
  /// The switch at the count with the worst verdict (the largest of equal counts). The report
  /// describes this switch.
  CountedSwitch decisive;
  std::vector<CountVerdict> counts;  ///< From the smallest to the largest; at least one.
  /// The counts, in ascending order, at which the verdict first becomes worse than at the count
  /// before.
  std::vector<CountVerdict> worse_from;
  /// The worker pools' maximum, if it is not simulated: it exceeds kMaxSimulatedNodes or the pod
  /// range.
  std::uint64_t not_simulated_up_to = 0;

  const Loaded& loaded() const { return *decisive.loaded; }
  const StrategyResult& best() const { return decisive.evaluation.best(); }
  /// The worst of all counts and conditions.
  MigrationVerdict verdict() const { return best().worst(); }
  /// Whether steps are recommended. False if the verdict is no-go even with the assumed value of
  /// every fact.
  bool may_go() const { return best().verdict != MigrationVerdict::NoGo; }
  /// The first line of the output without "verdict: ": verdict, condition and reason.
  std::string headline() const;
};

/// Loads and evaluates the switch at every node count. Returns the same failures as load().
runner::Outcome<Assessment> assess(const LoadRequest& request, const EvaluationOptions& options);

/// Returns the JSON of `overlane migrate`, kind "Migration". Times are in nanoseconds.
nlohmann::ordered_json encode(const Assessment& assessment, const EvaluationOptions& options);

}  // namespace overlane::migration

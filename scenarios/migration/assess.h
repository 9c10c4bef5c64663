#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/migration/evaluate.h"

// A switch at every node count that the input allows: the minimum of the worker pools, the number
// of Nodes among the manifests, and the pools' maximum, which cluster-autoscaler may reach. The
// verdict is the worst of them, and the headline says from which count on it becomes worse. A count
// that the command line or a Topology gives is the only one. encode() writes all of it as JSON.

namespace overlane::migration {

/// Larger counts are not simulated.
inline constexpr std::uint32_t kMaxSimulatedNodes = 2000;

/// The switch at one node count. `loaded` stays where it is, since `evaluation` refers to it.
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
  /// The switch at the count with the worst verdict (the largest of equals), which is reported.
  CountedSwitch decisive;
  std::vector<CountVerdict> counts;  ///< From the smallest to the largest; at least one.
  /// The first counts with a verdict worse than the one before, beginning at the smallest count.
  std::vector<CountVerdict> worse_from;
  /// The worker pools' maximum, if it is not simulated: it exceeds kMaxSimulatedNodes or the pod
  /// range.
  std::uint64_t not_simulated_up_to = 0;

  const Loaded& loaded() const { return *decisive.loaded; }
  const StrategyResult& best() const { return decisive.evaluation.best(); }
  /// The worst of all counts and conditions.
  MigrationVerdict verdict() const { return best().worst(); }
  /// Whether steps are recommended: not if the verdict is no-go even with all facts as assumed.
  bool may_go() const { return best().verdict != MigrationVerdict::NoGo; }
  /// The first line without "verdict: ": verdict, condition and reason.
  std::string headline() const;
};

/// Loads and evaluates the switch at every node count. Fails as load() does.
runner::Outcome<Assessment> assess(const LoadRequest& request, const EvaluationOptions& options);

/// The JSON of `overlane migrate`: kind "Migration". Times are in nanoseconds.
nlohmann::ordered_json encode(const Assessment& assessment, const EvaluationOptions& options);

}  // namespace overlane::migration

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/replay/comparison.h"
#include "scenarios/replay/observation.h"

namespace overlane::replay {

/// The result of `overlane testbed switch`: an observed switch of a shoot beside its prediction.
struct SwitchReplay {
  migration::Loaded loaded;
  std::string strategy;
  Observation observation;
  std::vector<migration::SwitchResult>
      predicted;                         ///< One per seed; that of a replay, if it is one.
  std::optional<Comparison> pairs;       ///< If the observation is a replay.
  std::vector<ComparedFigures> figures;  ///< One for each kind of traffic.
  std::vector<std::string> left_out;     ///< What the replay leaves out; empty for a real shoot.

  /// Whether the observation is as predicted: 95 % of the pairs and of the connections of a
  /// replay, or all figures of another observation.
  bool agrees() const;
  /// "as predicted", or what is not.
  std::string headline() const;
};

/// Compares an observation with its predictions: pair by pair if it is a replay of the plan.
SwitchReplay beside_prediction(migration::Loaded loaded, const migration::Strategy& strategy,
                               Observation observation,
                               std::vector<migration::SwitchResult> predicted);

/// The JSON of a result, kind "SwitchReplay". Times are in nanoseconds.
nlohmann::ordered_json encode(const SwitchReplay& replay);

}  // namespace overlane::replay

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::spec {

inline constexpr std::uint32_t kMaxRuns = 1000;

/// `spec.migration` of a Scenario: a switch of the shoot's pod network, which `overlane migrate`
/// simulates. Texts are not interpreted here: the user of this struct knows the valid words.
struct Migration {
  /// A word or a name in the file, with its location.
  struct Named {
    std::string text;
    SourceLocation place;
  };
  /// A component's duration.
  struct Duration {
    Named parameter;  ///< "aws.call"
    Picos value;
  };
  Named to;                       ///< "routed"
  std::vector<Named> strategies;  ///< Names, or MigrationStrategy files. Empty: all suitable.
  Named disturb;                  ///< "rollback@120s"; empty: nothing.
  std::vector<Duration> timing;
  std::uint32_t runs = 10;  ///< Runs of each strategy, at most kMaxRuns.
  Picos max_outage;
  SourceLocation place;
};

/// A step of a MigrationStrategy, by the operator or by the network extension.
enum class StrategyAction : std::uint8_t {
  ProtectNodeConditions,
  CreateRoutes,
  ChangeShoot,
  WaitForRoutes,
  DeletePods
};
std::string_view to_string(StrategyAction action);

/// A `kind: MigrationStrategy` file: the steps of a switch in their order.
struct MigrationStrategy {
  std::string name;
  std::string summary;
  std::vector<StrategyAction> steps;
  std::uint32_t max_unavailable = 2;
};

/// Reads `migration` of a scenario; nothing if absent.
std::optional<Migration> decode_migration(document::Fields& spec);

/// Decodes a MigrationStrategy. Steps that contradict each other are errors; the messages name the
/// steps.
Result<MigrationStrategy, Findings> decode_migration_strategy(const document::Tree& tree);
/// Decodes the fields of a MigrationStrategy; adds errors to the fields' Problems.
MigrationStrategy decode_migration_strategy(document::Fields& root);

}  // namespace overlane::spec

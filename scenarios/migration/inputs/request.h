#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/inputs/transition.h"
#include "scenarios/migration/verdict/verdict.h"
#include "scenarios/runner/load/given_files.h"
#include "scenarios/runner/load/subject.h"

// The request for a migration. LoadRequest has the arguments of the command line. read_request()
// adds the values of the Scenario and of the MigrationStrategy files and returns a ResolvedRequest;
// the command line overrides the Scenario.

namespace overlane::migration {

/// The dataplane that a shoot is switched to.
enum class Target : std::uint8_t {
  Routed,
  Ipip,
  Vxlan,
  Geneve,
  DualStack,
  SingleStack,
  Ebpf,       ///< Services by calico's eBPF dataplane.
  KubeProxy,  ///< Services by kube-proxy.
};

inline constexpr std::array<std::pair<std::string_view, Target>, 8> kTargets{{
    {"routed", Target::Routed},
    {"ipip", Target::Ipip},
    {"vxlan", Target::Vxlan},
    {"geneve", Target::Geneve},
    {"dual-stack", Target::DualStack},
    {"single-stack", Target::SingleStack},
    {"ebpf", Target::Ebpf},
    {"kube-proxy", Target::KubeProxy},
}};
std::string_view to_string(Target target);

/// Values that the operator has found for facts that no document gives (uncertain_facts()), and the
/// durations that the operator has measured.
struct Answers {
  std::optional<BeyondSubnet> beyond_subnet;  ///< `migration.bird.route-beyond-subnet`.
  std::optional<bool> passes_tunnel;          ///< `migration.fabric.passes-tunnel`.
  std::optional<bool> writes_routes;          ///< `migration.fabric.writes-routes`.
  std::set<std::string_view> durations;       ///< TimingFact::name of each measured duration.
};

/// A key of `--set migration.KEY=VALUE`, for the command line.
struct MigrationSetting {
  std::string key;            ///< "bird.route-beyond-subnet".
  std::string value;          ///< Allowed values: "true|false", or a plausible range of durations.
  std::string default_value;  ///< In the syntax of the command line.
  std::string meaning;        ///< One sentence.
};

std::vector<MigrationSetting> migration_settings();

/// The arguments of `overlane migrate`. They override the values of the Scenario.
struct LoadRequest {
  std::vector<std::string> paths;  ///< Manifests (files, folders, "-") or one Scenario.
  runner::SubjectOptions subject;
  std::optional<Target> to;
  std::vector<std::string> strategies;  ///< Names, or MigrationStrategy files.
  std::string disturb;                  ///< "rollback@120s"; empty: no disturbance.
  std::optional<std::uint32_t> runs;
  std::optional<Picos> max_outage;
  AcceptedImpacts accepted = {};
  /// Durations of components and answers, by their names: "aws.call=500ms",
  /// "bird.route-beyond-subnet=gateway".
  std::vector<std::string> settings = {};
};

/// A request with the values of its files.
struct ResolvedRequest {
  /// The Scenario, which names the subject; default values without a Scenario.
  spec::Scenario scenario;
  std::optional<document::Stream> manifests;  ///< Empty: the scenario's Topology has them.
  std::optional<Target> to;
  std::vector<Strategy> strategies;  ///< Empty: all suitable strategies.
  Timing timing;
  Answers answers;
  std::optional<Disturbance> disturbance;
  std::uint32_t runs = spec::Migration{}.runs;
  Picos max_outage;
};

/// Reads the Scenario or the manifests, and the strategies. Fails with `no-target` if neither the
/// request nor the Scenario gives a target, and on unknown names of targets, strategies,
/// disturbances and parameters.
runner::Outcome<ResolvedRequest> read_request(const LoadRequest& request);

}  // namespace overlane::migration

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

namespace overlane::migration {

/// The dataplane that a shoot is switched to.
enum class Target : std::uint8_t {
  Routed,
  Ipip,
  Vxlan,
  Geneve,
  DualStack,
  SingleStack,
  Ebpf,       ///< Services by calico's eBPF dataplane …
  KubeProxy,  ///< … or by kube-proxy.
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

/// What the operator has found out about facts that no document gives (uncertain_facts()), and
/// about durations.
struct Answers {
  std::optional<BeyondSubnet> beyond_subnet;  ///< `migration.bird.route-beyond-subnet`.
  std::optional<bool> passes_tunnel;          ///< `migration.fabric.passes-tunnel`.
  std::optional<bool> writes_routes;          ///< `migration.fabric.writes-routes`.
  std::set<std::string_view> durations;       ///< TimingFact::name of those that are recorded.
};

/// What is to be switched. What is given here wins over what the Scenario says.
struct LoadRequest {
  std::vector<std::string> paths;  ///< Manifests: files, folders, "-"; or one Scenario.
  runner::SubjectOptions subject;
  std::optional<Target> to;
  std::vector<std::string> strategies;  ///< Names, or MigrationStrategy files.
  std::string disturb;                  ///< "rollback@120s"; empty: nothing.
  std::optional<std::uint32_t> runs;
  std::optional<Picos> max_outage;
  AcceptedImpacts accepted = {};
  /// Durations of components and answers, by their names: "aws.call=500ms",
  /// "bird.route-beyond-subnet=gateway".
  std::vector<std::string> settings = {};
};

/// A request with what its files say.
struct ResolvedRequest {
  spec::Scenario scenario;                    ///< Names the subject, if there is one.
  std::optional<document::Stream> manifests;  ///< Else the scenario's Topology has them.
  Target to{};
  std::vector<Strategy> strategies;  ///< Empty: all that suit.
  Timing timing;
  Answers answers;
  std::optional<Disturbance> disturbance;
  std::uint32_t runs = spec::Migration{}.runs;
  Picos max_outage;
};

/// Reads the Scenario or the manifests, and the strategies. Refuses with `no-target` where nothing
/// says what to switch to, and names of targets, strategies, disturbances and parameters that do
/// not exist.
runner::Outcome<ResolvedRequest> read_request(const LoadRequest& request);

}  // namespace overlane::migration

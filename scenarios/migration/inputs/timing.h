#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dataplane/net/units.h"
#include "sim/random/stream.h"
#include "topologies/sources/citation.h"

namespace overlane::migration {

// Durations of the components of a shoot and its cloud during a switch. Timing has the default of
// each duration. timing_facts() adds the plausible range, the source, and the command that measures
// the duration in a real landscape. A duration that varies from node to node is drawn uniformly
// between zero and its value. The Drawer numbers keep the random streams apart and are part of the
// result contract.

struct Transition;

/// The durations of the components of a shoot and of its cloud. timing_facts() has the range and
/// the source of each.
struct Timing {
  // gardenlet and the extensions
  Picos reconcile_start = seconds(10);
  Picos control_plane = seconds(60);
  Picos network = seconds(15);
  Picos gate_retry = seconds(30);
  Picos next_reconcile = seconds(60);
  // Route controllers
  Picos route_controller_start = seconds(20);
  Picos aws_tick = seconds(5);
  Picos aws_call = milliseconds(200);
  Picos route_period = seconds(10);
  Picos route_operation = seconds(10);
  Picos alias_operation = seconds(5);
  Picos router_update = seconds(1);
  Picos route_batch = seconds(30);
  Picos aws_sync = seconds(3600);
  // machine-controller-manager
  Picos machine_health_timeout = seconds(600);
  Picos machine_deletion = seconds(300);
  Picos machine_creation = seconds(120);
  Picos machine_creation_timeout = seconds(1200);
  Picos hibernation = seconds(8 * 3600);
  // The CNI's agents
  Picos bird_reload = seconds(5);
  Picos bgp_connect = seconds(5);
  Picos graceful_restart = seconds(120);
  Picos pod_replacement = seconds(10);
  Picos pod_init = seconds(5);
  Picos agent_start = seconds(5);
  Picos pod_ready = seconds(10);
  Picos felix_pools = seconds(1);
  Picos nameserver_rules = seconds(15);
  // The operator, who follows the switch
  Picos operator_reaction = seconds(5);

  /// Time from a change of the Shoot until its ControlPlane is ready.
  Picos until_control_plane() const { return reconcile_start + control_plane; }
  /// Time from a change of the Shoot until its Network is changed.
  Picos until_network() const { return until_control_plane() + network; }
};

/// How to measure the durations of gardenlet and the extensions: in the last reconciliation.
/// {namespace} and {name} stand for those of the Shoot.
inline constexpr std::string_view kWatchReconciliation = "a reconciliation of the Shoot";
/// Starts a reconciliation, shows what it does, and ends with it.
inline constexpr std::string_view kWatchShoot =
    "kubectl --kubeconfig \"$GARDEN\" -n {namespace} annotate shoot {name} "
    "gardener.cloud/operation=reconcile --overwrite; until kubectl --kubeconfig \"$GARDEN\" -n "
    "{namespace} get shoot {name} -o json | jq -e '.status.lastOperation.lastUpdateTime, "
    ".status.lastOperation.description, (.metadata.generation == .status.observedGeneration and "
    ".status.lastOperation.state == \"Succeeded\")'; do sleep 2; done";

/// The documentation of one duration in Timing.
struct TimingFact {
  std::string_view name;  ///< "bird.reload"
  Picos Timing::*value = nullptr;
  Picos min;  ///< Lower end of the plausible range.
  Picos max;
  std::string_view meaning;
  sources::Citation source;
  std::string_view tag;  ///< A model::Assumption::tag.
  /// Whether the switch has a component with this duration; null: every switch has one.
  bool (*concerns)(const Transition& transition) = nullptr;
  std::string_view check = kWatchReconciliation;  ///< What to inspect, in short.
  /// Template of the whole command; command_of() fills it in.
  std::string_view command = kWatchShoot;
};

std::span<const TimingFact> timing_facts();

/// Returns the command that shows the duration, for the shoot and the agent of the switch.
std::string command_of(const TimingFact& fact, const Transition& transition);

/// Text with as many digits as needed: "1.5 s", "0.2 s"; above two minutes as outage_text().
std::string duration_text(Picos time);
/// Text in the format of `--set migration.KEY=VALUE`: "1500ms" or "10s".
std::string setting_text(Picos time);
/// Text of an outage (report::elapsed_text): "38.8 s", "3 min 43 s".
std::string outage_text(Picos time);

/// Consumers of random numbers. The numbers are part of the result contract: append, never
/// renumber.
enum class Drawer : std::uint32_t {
  BirdReload = 1,
  BgpConnect = 2,
  RolloutOrder = 3,
  PodReplacement = 4,
  IpamBlock = 5,
};

inline RandomStream stream_of(std::uint64_t seed, Drawer drawer, std::uint32_t node = 0) {
  return {seed, StreamUse::Actors, std::uint64_t{static_cast<std::uint32_t>(drawer)} << 32 | node};
}

/// Draws a time uniformly from zero to `most`, both included.
inline Picos drawn(Picos most, std::uint64_t seed, Drawer drawer, std::uint32_t node) {
  RandomStream stream = stream_of(seed, drawer, node);
  return {static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(most.count) + 1))};
}

}  // namespace overlane::migration

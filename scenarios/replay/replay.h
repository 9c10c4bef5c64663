#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/replay/observation.h"
#include "scenarios/replay/services.h"

namespace overlane::replay {

// A switch of the pod network in real time, on the Linux kernel. Nodes, pods and the VPC are
// network namespaces. The components of the simulation say when an agent's pod is replaced and what
// it changes; replay() makes that change in the node's namespace at that time. A loop against a
// stand-in of the cloud's API (cloud.h) writes the cloud's routes, and real sockets in pods and
// nodes find out what arrives.

/// A switch that can be replayed: without the features of the fabric that only the model has, so
/// that prediction and replay are about the same cluster.
struct ReplayPlan {
  migration::Loaded loaded;
  migration::Strategy strategy;
  std::uint64_t seed = 1;
  migration::SwitchResult predicted;
  Picos begin;  ///< The replay begins here, shortly before the first change.
  Picos end;    ///< The last predicted change.
  /// The Services of the replay; nothing if it has none.
  std::optional<ReplayedServices> services;
  /// Parts of the switch that the replay leaves out: "security groups and firewalls".
  std::vector<std::string> left_out;
};

/// Prepares the replay of one strategy of a switch. Fails with a reason if it cannot be replayed:
/// nodes join or leave, pods have eBPF programs, or the fabric is not one that a kernel can be.
Parsed<ReplayPlan> plan_replay(migration::Loaded loaded, const migration::Strategy& strategy,
                               std::uint64_t seed);

/// The kernel of the nodes of a replay.
struct NodeKernel {
  std::string release;
  bool has_ipip = true;  ///< False: kernel::UserIpip takes the place of the device.
};

/// Examines the running kernel; needs root. Fails with the ability that the switch needs and the
/// kernel lacks, except for IPIP.
Parsed<NodeKernel> kernel_for(const ReplayPlan& plan);

/// Why BIRD 2 cannot write routes in the replay; empty if it can.
std::string obstacle_to_bird(const ReplayPlan& plan);

/// The probes of all ordered pairs of nodes may take this many datagrams per second.
inline constexpr std::uint32_t kProbesPerSecond = 8'000;

struct ReplayOptions {
  std::string place = "network namespaces";  ///< For the observation.
  std::uint32_t probes_per_second = kProbesPerSecond;
  /// Debian's BIRD writes the routes of old agents that need no tunnel (kernel::BirdMesh). Requires
  /// an empty obstacle_to_bird().
  bool has_bird = false;
  const std::atomic<bool>* stop = nullptr;  ///< Ends the replay early; not null.
  /// Receives the current time of the switch and its planned end about every second.
  std::function<void(Picos now, Picos end)> on_progress = {};
};

/// Replays the switch on a kernel that is kernel_for() it; needs root, and takes `plan.end -
/// plan.begin` of real time and some seconds more. Fails if the kernel refuses a change, or if the
/// replay is stopped.
Parsed<Observation> replay(const ReplayPlan& plan, const NodeKernel& nodes,
                           const ReplayOptions& options);

}  // namespace overlane::replay

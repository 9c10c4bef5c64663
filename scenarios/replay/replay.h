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
  /// Parts of the switch that the replay leaves out: "security groups and firewalls".
  std::vector<std::string> left_out;
};

/// Prepares the replay of one strategy of a switch. Fails with a reason if it cannot be replayed:
/// nodes join or leave, pods have eBPF programs, or the fabric is not one that a kernel can be.
Parsed<ReplayPlan> plan_replay(migration::Loaded loaded, const migration::Strategy& strategy,
                               std::uint64_t seed);

/// Why this kernel cannot be the nodes of the switch; empty if it can. A kernel without IPIP can:
/// kernel::UserIpip takes the place of the device, and the observation says so.
std::string missing_ability(const ReplayPlan& plan);

/// The probes of all ordered pairs of nodes may take this many datagrams per second.
inline constexpr std::uint32_t kProbesPerSecond = 8'000;

struct ReplayOptions {
  std::string place = "network namespaces";  ///< For the observation.
  std::uint32_t probes_per_second = kProbesPerSecond;
  const std::atomic<bool>* stop = nullptr;  ///< Ends the replay early; not null.
  /// Receives the current time of the switch and its planned end about every second.
  std::function<void(Picos now, Picos end)> on_progress = {};
};

/// Replays the switch; needs root, and takes `plan.end - plan.begin` of real time and some seconds
/// more. Fails if the kernel refuses a change, or if the replay is stopped.
Parsed<Observation> replay(const ReplayPlan& plan, const ReplayOptions& options);

}  // namespace overlane::replay

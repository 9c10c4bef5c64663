#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "topologies/cni/extension/live_comparison.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/cni/extension/node_compiler.h"
#include "topologies/document/fields/shape.h"

namespace overlane::cni {

// Everything that Overlane knows of a coded CNI, in one constant per CNI. Each command reads its
// own part: `explain` and `check` the extension, `run` and `trace` the node compiler, `check
// --live` the comparison, `migrate` the patches that switch modes. A fact about a CNI that a
// command needs becomes a field here; no other folder asks which CNI it is
// (tools/check-profiles). Constant: any thread may read it.

/// The NetworkConfig in `overlane schema`.
struct ConfigSchema {
  void (*decode)(document::Fields& root) = nullptr;
  std::span<const document::FieldText> (*texts)() = nullptr;
};

/// The CNI in `overlane run`.
struct RunDefaults {
  std::string_view scenario;  ///< The comparison of its modes, in scenarios/library.
  /// NetworkConfig patches that a variant's `encryption` stands for.
  std::string_view wireguard_on;
  std::string_view wireguard_off;
  /// net.ipv4.tcp_mtu_probing of its pods; absent: the kernel's default.
  struct MtuProbing {
    std::uint8_t value = 0;
    std::string_view source;
  };
  std::optional<MtuProbing> mtu_probing;
};

/// How a new pod of the CNI's agent changes its node when the mode was switched.
enum class AgentStart : std::uint8_t {
  /// Felix writes what the new mode needs and keeps devices of the old one; the routes to peers are
  /// BIRD's, and come and go with it.
  FelixAndBird,
  /// The agent makes the node at once what the new mode asks for, and removes the old mode's
  /// devices.
  WholeNode,
};

/// The CNI in `overlane migrate`.
struct Migration {
  // Merge patches of the NetworkConfig, in JSON, that switch to a mode; empty where the CNI does
  // not have the mode, or where a switch from or to it is not simulated.
  std::string_view routed;
  std::string_view ipip;
  std::string_view vxlan;
  std::string_view geneve;
  AgentStart start{};
  std::string_view daemon_set;     ///< The agent's, in kube-system.
  std::string_view pod_selector;   ///< Label selector of its pods.
  std::string_view configuration;  ///< What the extension changes: "IPPools and config map".
  /// The agents' pods are replaced only from the reconciliation after that on.
  bool rolls_next_time = false;
  /// The feature gate with which the extension waits for the nodes' cloud routes; empty: none.
  std::string_view route_gate;
};

/// Everything that Overlane knows of a coded CNI. Each folder of topologies/cni defines one, and
/// topologies/cni/profiles.cpp lists them. A field that is left out means that the CNI does not
/// have it.
struct Profile {
  effective::NodeAgent agent{};
  std::string_view agent_name;  ///< Value of `nodeAgent` in a NetworkProvider.
  /// Decodes the NetworkConfig, derives the dataplane, checks and lints.
  const NetworkExtension* extension = nullptr;
  NodeCompiler nodes;
  LiveComparison live;
  /// Rules about an update that keeps the node agent.
  rules::RuleTable<SwitchInputs> switch_lints = nullptr;
  ConfigSchema config;
  RunDefaults run;
  Migration migration;

  std::string_view type() const { return extension->type(); }
};

}  // namespace overlane::cni

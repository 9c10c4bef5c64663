#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "topologies/cni/extension/live_comparison.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/cni/extension/node_compiler.h"
#include "topologies/cni/extension/switch_inputs.h"
#include "topologies/document/fields/field_text.h"

namespace overlane::cni {

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

/// The CNI in `overlane migrate`: merge patches of the NetworkConfig, in JSON, that switch to a
/// mode; empty where the CNI does not have the mode, or where the steps of its agent are not
/// simulated.
struct MigrationPatches {
  std::string_view routed;
  std::string_view ipip;
};

/// Everything that Overlane knows of a coded CNI. Each folder of topologies/cni defines one, and
/// topologies/cni/profiles.cpp lists them. A field that is left out means that the CNI does not
/// have it.
struct Profile {
  effective::NodeAgent agent{};
  std::string_view agent_name;  ///< As `nodeAgent` of a NetworkProvider names it.
  /// Decodes the NetworkConfig, derives the dataplane, checks and lints.
  const NetworkExtension* extension = nullptr;
  NodeCompiler nodes;
  LiveComparison live;
  /// Rules about an update that keeps the node agent.
  rules::RuleTable<SwitchInputs> switch_lints = nullptr;
  ConfigSchema config;
  RunDefaults run;
  MigrationPatches migration;

  std::string_view type() const { return extension->type(); }
};

}  // namespace overlane::cni

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dataplane/node/state/node_state.h"
#include "topologies/cni/extension/live_comparison.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/document/fields/fields.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::cni {

// The profile of a CNI: all facts and functions about it, in one constant per CNI. Each command
// reads its own part: `explain` and `check` the extension, `run` and `trace` the node compiler,
// `check --live` the comparison, `migrate` the patches that switch modes. A fact about a CNI that a
// command needs becomes a field here; no other folder depends on the name of a CNI
// (tools/check-profiles). Constant: any thread may read it.

// The node compiler: how a CNI's agent configures nodes, as a table of functions. It leads from an
// effective dataplane to states of dataplane/node. The model has one interface per machine,
// kUplink. The functions write only the parts that their agent writes; topologies/compile calls
// them once per node, or once per shoot for objects that all nodes share.

/// The only interface of a machine.
inline constexpr std::string_view kUplink = "eth0";

/// systemd's sysctl.d/50-default.conf sets net.ipv4.conf.*.rp_filter to loose; udev applies it to
/// new tunnel devices too.
inline constexpr std::uint8_t kLooseRpFilter = 2;

/// Why the nodes of a shoot cannot be simulated, the field that decides it, and what to do.
struct Unsupported {
  std::string_view why;
  std::string_view path;
  std::string_view hint;
};

/// How a CNI's agent configures the nodes of a shoot. topologies/compile adds what every node has:
/// the uplink, its routes, the pods, masquerading and service rules.
struct NodeCompiler {
  /// Encapsulations that the agent makes a device for.
  std::span<const effective::Encapsulation> tunnels;
  bool has_ipv6_tunnel = false;  ///< Whether there is a tunnel in IPv6-only shoots.

  /// Why the shoot's encryption cannot be simulated; nullopt if it can. Null: all encryption is
  /// supported.
  std::optional<Unsupported> (*unsupported_encryption)(const effective::EffectiveDataplane& shoot) =
      nullptr;
  /// Why a shoot with IPv6 cannot be simulated; empty if it can. Null: all can.
  std::string_view (*unsupported_ipv6)(const effective::EffectiveDataplane& shoot) = nullptr;

  /// Routes to the pods of other nodes, for one of the shoot's families.
  node::PeerRoutes (*peer_routes)(const effective::EffectiveDataplane& shoot,
                                  Family family) = nullptr;
  /// Adds one node's devices and local routes, and changes those of the uplink.
  void (*add_devices)(const effective::EffectiveDataplane& shoot, node::NodeState& state) = nullptr;
  /// Adds the agent's own rules to the packet filter of all nodes. Null: it has none.
  void (*add_filters)(const effective::EffectiveDataplane& shoot,
                      node::PacketFilter& filter) = nullptr;
};

/// Properties of the CNI for `overlane run`.
struct RunDefaults {
  std::string_view scenario;  ///< The scenario in scenarios/library that compares its modes.
  /// NetworkConfig patches that switch a variant's `encryption` on and off.
  std::string_view wireguard_on;
  std::string_view wireguard_off;
  /// net.ipv4.tcp_mtu_probing of its pods; empty: the kernel's default.
  struct MtuProbing {
    std::uint8_t value = 0;
    std::string_view source;
  };
  std::optional<MtuProbing> mtu_probing;
};

/// The changes that a new pod of the CNI's agent makes on its node after a switch of the mode.
enum class AgentStart : std::uint8_t {
  /// Felix writes the state of the new mode and keeps the devices of the old mode. The routes to
  /// peers belong to BIRD: they appear and disappear with it.
  FelixAndBird,
  /// The agent configures the whole node for the new mode at once and removes the old mode's
  /// devices.
  WholeNode,
};

/// Properties of the CNI for `overlane migrate`.
struct Migration {
  // Merge patches of the NetworkConfig, in JSON, that switch to a mode; empty if the CNI does not
  // have the mode, or if a switch from or to it is not simulated.
  std::string_view routed;
  std::string_view ipip;
  std::string_view vxlan;
  std::string_view geneve;
  AgentStart start{};
  std::string_view daemon_set;    ///< Name of the agent's DaemonSet in kube-system.
  std::string_view pod_selector;  ///< Label selector of its pods.
  std::string_view
      configuration;  ///< The objects that the extension changes: "IPPools and config map".
  /// Whether the agents' pods are replaced only by the reconciliation after the one that switches
  /// the mode.
  bool rolls_next_time = false;
  /// The feature gate that makes the extension wait for the nodes' cloud routes; empty if none.
  std::string_view route_gate;
};

/// The profile of a CNI. Each CNI's folder in topologies/cni defines one, and
/// topologies/cni/profiles.cpp lists them. An empty field means that the CNI does not have the
/// feature.
struct Profile {
  effective::NodeAgent agent{};
  std::string_view agent_name;  ///< Value of `nodeAgent` in a NetworkProvider.
  /// Decodes the NetworkConfig, derives the dataplane, checks and lints.
  const NetworkExtension* extension = nullptr;
  const NodeCompiler* nodes = nullptr;
  const LiveComparison* live = nullptr;
  /// Rules about an update that keeps the node agent.
  rules::RuleTable<SwitchInputs> switch_lints = nullptr;
  /// Decodes the NetworkConfig for its schema (`overlane schema`).
  void (*decode_config)(document::Fields& root) = nullptr;
  RunDefaults run;
  Migration migration;

  std::string_view type() const { return extension->type(); }
};

}  // namespace overlane::cni

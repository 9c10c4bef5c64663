#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dataplane/node/state/node_state.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::cni {

// How a CNI's agent configures nodes, as a table of functions: the bridge from an effective
// dataplane to states of dataplane/node. The model has one interface per machine, kUplink. The
// functions write only what their agent writes; topologies/compile calls them once per node, or
// once per shoot for what all nodes share.

/// The machines' one interface.
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

  /// Absent: every encryption of the dataplane is supported.
  std::optional<Unsupported> (*unsupported_encryption)(const effective::EffectiveDataplane& shoot) =
      nullptr;
  /// Why a shoot with IPv6 cannot be simulated; empty: it can. Absent: every one can.
  std::string_view (*unsupported_ipv6)(const effective::EffectiveDataplane& shoot) = nullptr;

  /// Routes to the pods of other nodes, of one of the shoot's families.
  node::PeerRoutes (*peer_routes)(const effective::EffectiveDataplane& shoot,
                                  Family family) = nullptr;
  /// Adds one node's devices and local routes, and changes those of the uplink.
  void (*add_devices)(const effective::EffectiveDataplane& shoot, node::NodeState& state) = nullptr;
  /// Adds the agent's own rules to the packet filter of all nodes. Absent: it has none.
  void (*add_filters)(const effective::EffectiveDataplane& shoot,
                      node::PacketFilter& filter) = nullptr;
};

}  // namespace overlane::cni

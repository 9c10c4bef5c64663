#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"
#include "sim/cost/cost_profile.h"
#include "sim/fabric/limits.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"

namespace overlane::run {

/// The simulated network: `nodes[i]`, `machines[i]` and `fabric.instances[i]` describe one machine.
struct Network {
  std::vector<node::NodeState> nodes;
  node::FabricState fabric;
  std::vector<host::Machine> machines;
  /// With Veth, `machines` differ in offloads only; `paths` and `limits` apply to NICs.
  cost::Wire wire = cost::Wire::Nic;
  fabric::Paths paths;
  fabric::Limits limits;
  std::optional<cost::CostProfile> costs;               ///< Empty: CPU time has no costs.
  cost::Datapath datapath = cost::Datapath::Netfilter;  ///< The datapath of the nodes' kernels.
  cost::Services services;
};

/// An input of a run that `run --why` changes to measure its effect.
struct Parameter {
  enum class Kind : std::uint8_t {
    NicRate,        ///< Rate of every NIC that is as fast as the NIC of node `of`.
    QueueRoom,      ///< Packets that wait for a NIC, for the fabric's link to a NIC, for a link of
                    ///< racks, or for a core.
    SingleFlowCap,  ///< The VPC's cap on one flow.
    Baseline,       ///< Mean bandwidth allowance of every instance.
    PacketRate,     ///< Mean allowance of every instance in packets per second.
    PathLatency,    ///< Latency within a zone and across zones.
    StageCost,      ///< All costs of stage `of`.
    Window,         ///< The receive window of group `of`.
    DatagramRate,   ///< Rate of each flow of group `of`.
    ThinkTime,      ///< Think time of group `of`.
    Loss,           ///< Random loss of the fabric.
    PathMtu,        ///< MTU of the fabric's paths.
    Deny,           ///< Entry `of` of the fabric's packet filter.
    UplinkRate,     ///< Rate of every link between leaves and spines.
  };
  Kind kind = Kind::NicRate;
  std::uint32_t of = 0;

  auto operator<=>(const Parameter&) const = default;
};

}  // namespace overlane::run

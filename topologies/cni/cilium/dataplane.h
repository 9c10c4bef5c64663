#pragma once

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/extension/dataplane_decision.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::cilium {

/// What cilium-agent does for one IP family: the row C1…C6 of the chart values of
/// gardener-extension-networking-cilium.
cni::DataplaneDecision decide_dataplane(const NetworkConfig& config,
                                        const effective::NetworkInputs& inputs, Family family);

/// Whether pods of different nodes speak through a tunnel.
bool is_tunnelled(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// loadBalancingMode dsr without an IPv4 native routing CIDR, which rendering refuses. The overlay
/// decides about that, where it has a key.
bool lacks_native_cidr_for_dsr(const NetworkConfig& config, const effective::NetworkInputs& inputs);

}  // namespace overlane::cilium

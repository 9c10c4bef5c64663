#pragma once

#include <string_view>

#include "topologies/cni/cilium/config.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::cilium {

// What networking-cilium makes of a NetworkConfig: tunnel or native routing, the tunnel
// protocol, who knows the routes to pods, MTUs, encryption, and what is masqueraded. The key
// overlay.enabled decides before `tunnel`; the results are the rows C1 to C6 of the truth table.
// Unlike Calico's, the pods' device keeps the link's MTU and only their routes have a smaller
// one. Each value carries its Provenance. All functions are pure.

/// The row C1…C6 of the chart values of gardener-extension-networking-cilium.
std::string_view row_of(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// The dataplane of cilium-agent for one IP family.
effective::DecidedDataplane decide_dataplane(const NetworkConfig& config,
                                             const effective::NetworkInputs& inputs, Family family);

/// Whether packets between nodes are tunnelled.
bool is_tunnelled(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// loadBalancingMode dsr without an IPv4 native routing CIDR, which rendering refuses. The key
/// overlay.enabled decides whether there is one.
bool lacks_native_cidr_for_dsr(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// cilium bpf/lib/nat.h, snat_v4_needs_masquerade. Towards remote nodes a pod's address is kept in
/// native routing only.
effective::DecidedMasquerade decide_masquerade(const NetworkConfig& config,
                                               const effective::NetworkInputs& inputs,
                                               effective::Mode mode);

}  // namespace overlane::cilium

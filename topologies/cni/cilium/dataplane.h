#pragma once

#include <string_view>

#include "topologies/cni/cilium/config.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::cilium {

// The dataplane that networking-cilium derives from a NetworkConfig: tunnel or native routing, the
// tunnel protocol, the owner of the routes to pods, MTUs, encryption and masquerading. The key
// overlay.enabled decides before `tunnel`; the results are the rows C1 to C6 of the truth table.
// Unlike with Calico, the pods' device keeps the link's MTU, and only their routes have a smaller
// one. Each value carries its Provenance. All functions are pure.

/// The row C1…C6 of the truth table (chart values of gardener-extension-networking-cilium).
std::string_view row_of(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// The dataplane of cilium-agent for one IP family.
effective::DecidedDataplane decide_dataplane(const NetworkConfig& config,
                                             const effective::NetworkInputs& inputs, Family family);

/// Whether packets between nodes are tunnelled.
bool is_tunnelled(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// Whether loadBalancingMode is dsr without an IPv4 native routing CIDR, which fails when the chart
/// is rendered. The key overlay.enabled decides whether there is such a CIDR.
bool lacks_native_cidr_for_dsr(const NetworkConfig& config, const effective::NetworkInputs& inputs);

/// Masquerading as in cilium bpf/lib/nat.h, snat_v4_needs_masquerade. Packets to remote nodes keep
/// the pod's address in native routing only.
effective::DecidedMasquerade decide_masquerade(const NetworkConfig& config,
                                               const effective::NetworkInputs& inputs,
                                               effective::Mode mode);

}  // namespace overlane::cilium

#pragma once

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/extension/masquerade_decision.h"

namespace overlane::cilium {

/// cilium bpf/lib/nat.h, snat_v4_needs_masquerade. Towards remote nodes a pod's address is kept in
/// native routing only.
cni::MasqueradeDecision decide_masquerade(const NetworkConfig& config,
                                          const effective::NetworkInputs& inputs,
                                          effective::Mode mode);

}  // namespace overlane::cilium

#pragma once

#include "topologies/cni/calico/config.h"
#include "topologies/cni/extension/masquerade_decision.h"

namespace overlane::calico {

/// snatToUpstreamDNS, which the chart reads only where overlay.enabled is false.
effective::Decided<bool> decide_dns_snat(const NetworkConfig& config,
                                         const effective::NetworkInputs& inputs);

/// natOutgoing of the pools: a pod's packet to an address outside all pools gets the node's
/// address.
cni::MasqueradeDecision decide_masquerade(const NetworkConfig& config,
                                          const effective::NetworkInputs& inputs);

}  // namespace overlane::calico

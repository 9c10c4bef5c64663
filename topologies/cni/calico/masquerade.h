#pragma once

#include "topologies/cni/calico/config.h"
#include "topologies/cni/extension/masquerade_decision.h"

namespace overlane::calico {

/// snatToUpstreamDNS, which the chart looks at only where the overlay is off by its key.
effective::Decided<bool> decide_dns_snat(const NetworkConfig& config,
                                         const effective::NetworkInputs& inputs);

/// natOutgoing of the pools: to an address in no pool a pod's packet goes under the node's.
cni::MasqueradeDecision decide_masquerade(const NetworkConfig& config,
                                          const effective::NetworkInputs& inputs);

}  // namespace overlane::calico

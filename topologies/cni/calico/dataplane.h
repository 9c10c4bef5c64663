#pragma once

#include "results/finding/finding.h"
#include "topologies/cni/calico/config.h"
#include "topologies/cni/extension/dataplane_decision.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::calico {

/// The dataplane of calico-node for each IP family.
struct Dataplanes {
  cni::DataplaneDecision primary;
  std::optional<cni::DataplaneDecision> secondary;  ///< In dual-stack.
  std::string_view not_modelled_because;            ///< As in cni::NetworkDecision.
};

/// The row T1…T10 of the truth table of gardener-extension-networking-calico (actuator and chart
/// values together) for IPv4 shoots, D1…D4 for those with IPv6. Combinations that are in no row
/// fail with "unsupported-combination".
Result<Dataplanes> decide_dataplanes(const NetworkConfig& config,
                                     const effective::NetworkInputs& inputs,
                                     effective::CalicoVersion version);

}  // namespace overlane::calico

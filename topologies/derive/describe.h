#pragma once

#include "topologies/cni/extension/network_extension.h"

namespace overlane::derive {

/// Decisions about a shoot that do not depend on its network extension.
struct ShootDecisions {
  effective::Decided<effective::Stage> stage;
  effective::Decided<std::uint32_t> link_mtu;
  effective::Decided<effective::RoutingDomain> routing_domain;
};

/// Combines all values, each with its reason, in reading order. Without `network` the result is
/// opaque.
effective::EffectiveDataplane describe(const effective::NetworkInputs& inputs,
                                       const ShootDecisions& shoot,
                                       const cni::NetworkDecision* network);

}  // namespace overlane::derive

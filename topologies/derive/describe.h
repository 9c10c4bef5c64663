#pragma once

#include "topologies/cni/extension/network_extension.h"

namespace overlane::derive {

/// The decisions about a shoot besides its network extension's.
struct ShootDecisions {
  effective::Decided<effective::Stage> stage;
  effective::Decided<std::uint32_t> link_mtu;
  effective::Decided<effective::RoutingDomain> routing_domain;
};

/// All values in one, each with its reason, in the order that a person reads them. Without
/// `network` the result is opaque.
effective::EffectiveDataplane describe(const effective::NetworkInputs& inputs,
                                       const ShootDecisions& shoot,
                                       const cni::NetworkDecision* network);

}  // namespace overlane::derive

#pragma once

#include <optional>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/derive/derive.h"

namespace overlane::derive {

/// What comparing many shoots needs of one: its ranges and how its pods' traffic goes, by what
/// derive() goes by, without its reasons, checks and lints. A shoot that admission would refuse has
/// one, too.
struct Outline {
  effective::Stage stage = effective::Stage::Create;
  effective::Provider provider{};
  effective::Families families;
  effective::Addressing addressing;  ///< It refers to the spec.
  effective::Decided<effective::RoutingDomain> routing_domain;
  /// Nothing where the network type is not known, its NetworkConfig cannot be decoded or what comes
  /// of it is not known.
  std::optional<cni::NetworkDecision> network;
};

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

}  // namespace overlane::derive

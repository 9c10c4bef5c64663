#pragma once

#include <optional>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/derive/derive.h"

namespace overlane::derive {

/// The part of derive()'s result that a comparison of many shoots needs: ranges and dataplane mode,
/// without reasons, checks and lints. A shoot that admission would refuse has one, too.
struct Outline {
  effective::Stage stage = effective::Stage::Create;
  effective::Provider provider{};
  effective::Families families;
  effective::Addressing addressing;  ///< Refers to the spec.
  effective::Decided<effective::RoutingDomain> routing_domain;
  Findings config_errors;  ///< Why the NetworkConfig cannot be decoded.
  /// Absent where the network type is not modelled, its NetworkConfig cannot be decoded or its
  /// effect is not known.
  std::optional<cni::NetworkDecision> network;
};

Outline outline(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);

}  // namespace overlane::derive

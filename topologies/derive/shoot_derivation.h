#pragma once

#include <memory>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/derive/derive.h"

namespace overlane::derive {

// The steps inside derive() and outline() about one shoot: the decisions that do not depend on
// the CNI, the network extension opened with them, and describe(), which writes all values with
// their reasons into one EffectiveDataplane, in reading order.

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

/// The derivation of one shoot: decisions that do not depend on the NetworkConfig, and the network
/// extension that decodes it. It refers to the spec and the options, which must outlive it.
class ShootDerivation {
 public:
  ShootDerivation(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);
  ShootDerivation(const ShootDerivation&) = delete;  // The network refers to the inputs.
  ShootDerivation& operator=(const ShootDerivation&) = delete;

  const effective::NetworkInputs& inputs() const { return inputs_; }
  const ShootDecisions& decisions() const { return decisions_; }
  /// nullptr where the network type is not modelled.
  const cni::ExtensionInstance* network() const { return network_.get(); }
  /// The decisions of the network extension, and whether a controller writes cloud routes. Requires
  /// network().
  Result<cni::NetworkDecision> decide() const;

 private:
  ShootDecisions decisions_;
  effective::NetworkInputs inputs_;
  std::unique_ptr<const cni::ExtensionInstance> network_;
};

}  // namespace overlane::derive

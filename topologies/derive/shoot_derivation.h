#pragma once

#include <memory>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/derive/derive.h"
#include "topologies/derive/describe.h"

namespace overlane::derive {

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

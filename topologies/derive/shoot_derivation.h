#pragma once

#include <memory>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/derive/derive.h"
#include "topologies/derive/describe.h"

namespace overlane::derive {

/// A shoot in the hands of its network extension, with what is decided about it whatever its
/// NetworkConfig says. It refers to the spec and the options, which must outlive it.
class OpenedShoot {
 public:
  OpenedShoot(const manifest::PodNetworkSpec& spec, const DeriveOptions& options);
  OpenedShoot(const OpenedShoot&) = delete;  // The network refers to the inputs.
  OpenedShoot& operator=(const OpenedShoot&) = delete;

  const effective::NetworkInputs& inputs() const { return inputs_; }
  const ShootDecisions& decisions() const { return decisions_; }
  /// nullptr where the network type is not known.
  const cni::ExtensionInstance* network() const { return network_.get(); }
  /// What the network extension decides, and who writes cloud routes for it. There must be a
  /// network().
  Result<cni::NetworkDecision> decide() const;

 private:
  ShootDecisions decisions_;
  effective::NetworkInputs inputs_;
  std::unique_ptr<const cni::ExtensionInstance> network_;
};

}  // namespace overlane::derive

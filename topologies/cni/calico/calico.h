#pragma once

#include "topologies/cni/extension/network_extension.h"

namespace overlane::calico {

/// gardener-extension-networking-calico.
class Extension final : public cni::NetworkExtension {
 public:
  std::string_view type() const override { return "calico"; }
  std::unique_ptr<const cni::ExtensionInstance> open(
      const effective::NetworkInputs& inputs) const override;
  std::vector<const rules::Rule*> rules() const override;
};

}  // namespace overlane::calico

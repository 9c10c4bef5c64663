#pragma once

#include "topologies/effective/network_extension.h"

namespace overlane::cilium {

/// gardener-extension-networking-cilium.
class Extension final : public effective::NetworkExtension {
 public:
  std::string_view type() const override { return "cilium"; }
  std::unique_ptr<const effective::NetworkCase> open(
      const effective::NetworkInputs& inputs) const override;
  std::vector<const effective::Rule*> rules() const override;
};

}  // namespace overlane::cilium

#pragma once

#include "topologies/cni/declarative/network_provider.h"
#include "topologies/cni/extension/network_extension.h"

namespace overlane::declarative {

/// A network extension that a NetworkProvider file describes.
class Extension final : public cni::NetworkExtension {
 public:
  explicit Extension(NetworkProvider provider) : provider_(std::move(provider)) {}

  const NetworkProvider& provider() const { return provider_; }
  std::string_view type() const override { return provider_.type; }
  std::unique_ptr<const cni::ExtensionInstance> open(
      const effective::NetworkInputs& inputs) const override;
  std::vector<const rules::Rule*> rules() const override;

 private:
  NetworkProvider provider_;
};

}  // namespace overlane::declarative

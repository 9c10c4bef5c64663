#pragma once

#include <map>
#include <optional>
#include <string>

#include "topologies/cni/declarative/network_provider.h"
#include "topologies/cni/extension/network_extension.h"
#include "topologies/document/fields/fields.h"

namespace overlane::declarative {

// A network extension without code: a NetworkProvider file lists the fields of its NetworkConfig
// and rows of conditions, each with a dataplane. Extension interprets such a file as
// cni::NetworkExtension, so that derive, rules and all commands treat it like a coded CNI. The
// nodes are configured like those of the agent that the file names. An Extension owns its
// NetworkProvider and is immutable: any thread may use it.

/// The values of a NetworkConfig by path, as text, with defaults.
class DeclarativeConfig {
 public:
  /// Reads strictly: a field that the NetworkProvider does not list, or that has a wrong type or
  /// value, is an error in `problems`. The block `overlay` is always allowed.
  DeclarativeConfig(const NetworkProvider& provider, const document::Value& config,
                    document::Problems& problems);

  /// The value of a field; nullopt if neither given nor defaulted.
  std::optional<manifest::Located<std::string>> find(const std::string& path) const;

 private:
  void read_block(const NetworkProvider& provider, const document::Value& block,
                  const std::string& prefix, document::Problems& problems);

  std::map<std::string, manifest::Located<std::string>> values_;
};

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

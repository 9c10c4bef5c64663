#pragma once

#include <map>
#include <optional>
#include <string>

#include "topologies/cni/declarative/network_provider.h"
#include "topologies/document/fields/fields.h"

namespace overlane::declarative {

/// The values of a NetworkConfig by path, as text, with defaults.
class DeclarativeConfig {
 public:
  /// Reads strictly: a field that the NetworkProvider does not list, or of another type or value,
  /// is an error in `problems`. The block `overlay` is always allowed.
  DeclarativeConfig(const NetworkProvider& provider, const document::Value& config,
                    document::Problems& problems);

  /// The value of a field; nullopt if neither given nor defaulted.
  std::optional<manifest::Located<std::string>> find(const std::string& path) const;

 private:
  void read_block(const NetworkProvider& provider, const document::Value& block,
                  const std::string& prefix, document::Problems& problems);

  std::map<std::string, manifest::Located<std::string>> values_;
};

}  // namespace overlane::declarative

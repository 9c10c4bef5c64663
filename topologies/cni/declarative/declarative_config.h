#pragma once

#include <map>
#include <optional>
#include <string>

#include "topologies/cni/declarative/network_provider.h"
#include "topologies/document/fields/fields.h"

namespace overlane::declarative {

/// The values of a NetworkConfig, by path, as text; defaults are in it.
class DeclarativeConfig {
 public:
  /// Reads as strictly as the description says: a field that it does not list, or of another type
  /// or value, is an error in `problems`. The block `overlay` may always be there.
  DeclarativeConfig(const NetworkProvider& provider, const document::Value& config,
                    document::Problems& problems);

  /// The value of a field; nothing if neither given nor defaulted.
  std::optional<manifest::Located<std::string>> find(const std::string& path) const;

 private:
  void read_block(const NetworkProvider& provider, const document::Value& block,
                  const std::string& prefix, document::Problems& problems);

  std::map<std::string, manifest::Located<std::string>> values_;
};

}  // namespace overlane::declarative

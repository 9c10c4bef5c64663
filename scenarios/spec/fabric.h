#pragma once

#include <optional>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// The fabric's restrictions in a file; absent members keep those of the next level.
struct FabricSpec {
  std::optional<node::FabricPathMtu> path_mtu;
  std::optional<std::vector<node::DenyRule>> denied;

  FabricSpec or_else(const FabricSpec& other) const {
    return {path_mtu ? path_mtu : other.path_mtu, denied ? denied : other.denied};
  }
  /// Whether any restriction is set.
  bool any() const {
    return (path_mtu && *path_mtu != node::FabricPathMtu{}) || (denied && !denied->empty());
  }
};

/// Reads `pathMtu` and `deny` of a VPC, a scenario or a variant. Errors are added to the fields'
/// Problems.
FabricSpec decode_fabric(document::Fields& fields);

}  // namespace overlane::spec

#pragma once

#include <optional>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// What a file says about what the fabric does not carry; absent members leave that to who says it
/// elsewhere.
struct FabricSpec {
  std::optional<node::FabricPathMtu> path_mtu;
  std::optional<std::vector<node::DenyRule>> denied;

  FabricSpec or_else(const FabricSpec& other) const {
    return {path_mtu ? path_mtu : other.path_mtu, denied ? denied : other.denied};
  }
  /// Whether the fabric carries less than without it.
  bool any() const {
    return (path_mtu && *path_mtu != node::FabricPathMtu{}) || (denied && !denied->empty());
  }
};

/// Reads `pathMtu` and `deny` of a VPC, a scenario or a variant. What is wrong goes to the fields'
/// Problems.
FabricSpec decode_fabric(document::Fields& fields);

}  // namespace overlane::spec

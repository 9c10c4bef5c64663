#pragma once

#include <optional>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "sim/fabric/path.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

// What the network between the nodes does to packets beyond its topology: a path MTU, denied
// traffic, and random loss. The variant's path MTU and denials win over the scenario's, and those
// over the topology's.

/// Restrictions of the fabric in a file. Absent members inherit: variant, scenario, topology.
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

/// Reads `pathMtu` and `deny` of a VPC, a scenario or a variant; adds errors to the fields'
/// Problems.
FabricSpec decode_fabric(document::Fields& fields);

/// Random loss in the fabric; nothing if absent. Adds errors to the fields' Problems.
std::optional<fabric::Loss> decode_loss(document::Fields fields);

}  // namespace overlane::spec

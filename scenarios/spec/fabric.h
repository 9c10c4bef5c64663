#pragma once

#include <optional>
#include <string_view>
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

/// The description of `pathMtu.tooBig` in the schema.
inline constexpr std::string_view kTooBigMeaning =
    "What becomes of a larger packet with DF: it is dropped and its sender told by ICMP (the "
    "default), or not.";

/// Reads `pathMtu` and `deny` of a VPC, a scenario, a variant or an event; the keys have their
/// descriptions. Adds errors to the fields'
/// Problems.
FabricSpec decode_fabric(document::Fields& fields, const document::FieldKey& path_mtu,
                         const document::FieldKey& deny, std::string_view too_big = kTooBigMeaning);

/// Random loss in the fabric; nothing if absent. Adds errors to the fields' Problems.
std::optional<fabric::Loss> decode_loss(document::Fields fields);

}  // namespace overlane::spec

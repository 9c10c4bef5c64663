#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "sim/fabric/path.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

// Restrictions of the network between the nodes: a path MTU, denied traffic, and random loss. The
// variant's path MTU and denials override the scenario's, and the scenario's override the
// topology's.

/// The path MTU and the denials in a file. An absent member is inherited: a variant inherits from
/// its scenario, a scenario from its topology.
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
/// descriptions. Adds errors to the fields' Problems.
FabricSpec decode_fabric(document::Fields& fields, const document::FieldKey& path_mtu,
                         const document::FieldKey& deny, std::string_view too_big = kTooBigMeaning);

/// Random loss in the fabric; nothing if absent. Adds errors to the fields' Problems.
std::optional<fabric::Loss> decode_loss(document::Fields fields);

}  // namespace overlane::spec

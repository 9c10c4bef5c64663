#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlane::overlap {

/// The use of a range, in the order of `kind`: "pods-nodes", never "nodes-pods".
enum class Role : std::uint8_t {
  Pods,
  Nodes,
  Services,
  Vpc,       ///< The range of a VPC or vnet.
  Subnet,    ///< Of the workers of a zone, or of internal or public load balancers.
  SeedPods,  ///< Of the seed of the shoot's control plane.
  SeedNodes,
  SeedServices,
  Reserved,  ///< By Gardener, a cloud or the landscape operator.
  Declared,  ///< In a RoutingDomains file.
};

/// "pods", "seed-pods".
std::string_view to_string(Role role);

/// The kind of an overlap between the two: "pods-nodes".
std::string kind_of(Role a, Role b);

/// Whether the range contains node or VPC addresses, or was declared.
constexpr bool is_infrastructure(Role role) {
  return role == Role::Nodes || role == Role::Vpc || role == Role::Subnet || role == Role::Declared;
}

}  // namespace overlane::overlap

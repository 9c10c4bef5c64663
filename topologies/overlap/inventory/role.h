#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlane::overlap {

/// What a range is used for. The order is that of `kind`: "pods-nodes", never "nodes-pods".
enum class Role : std::uint8_t {
  Pods,
  Nodes,
  Services,
  Vpc,       ///< A VPC's or vnet's own range.
  Subnet,    ///< One in it: the workers' of a zone, internal or public load balancers'.
  SeedPods,  ///< Of the seed that the shoot's control plane is on.
  SeedNodes,
  SeedServices,
  Reserved,  ///< Gardener keeps it, or the landscape's operator.
  Declared,  ///< A RoutingDomains file says that somebody else has it.
};

/// "pods", "seed-pods".
std::string_view to_string(Role role);

/// The kind of an overlap between the two: "pods-nodes".
std::string kind_of(Role a, Role b);

/// Whether machines have addresses of it, or somebody's that no shoot knows.
constexpr bool has_hosts(Role role) {
  return role == Role::Nodes || role == Role::Vpc || role == Role::Subnet || role == Role::Declared;
}

}  // namespace overlane::overlap

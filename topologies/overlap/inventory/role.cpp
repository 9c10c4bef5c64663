#include "topologies/overlap/inventory/role.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::overlap {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::Pods:
      return "pods";
    case Role::Nodes:
      return "nodes";
    case Role::Services:
      return "services";
    case Role::Vpc:
      return "vpc";
    case Role::Subnet:
      return "subnet";
    case Role::SeedPods:
      return "seed-pods";
    case Role::SeedNodes:
      return "seed-nodes";
    case Role::SeedServices:
      return "seed-services";
    case Role::Reserved:
      return "reserved";
    case Role::Declared:
      return "declared";
  }
  return "";
}

std::string kind_of(Role a, Role b) {
  const auto [first, second] = std::minmax(a, b);
  return fmt::format("{}-{}", to_string(first), to_string(second));
}

}  // namespace overlane::overlap

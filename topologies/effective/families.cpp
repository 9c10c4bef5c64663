#include "topologies/effective/families.h"

#include <algorithm>

namespace overlane::effective {
namespace {

/// gardener-extension-networking-calico pkg/controller/actuator_reconcile.go: until the nodes of a
/// shoot that becomes dual-stack are rolled, its network has the first family alone.
bool waits_for_nodes(const std::vector<manifest::Constraint>& constraints) {
  const auto ready =
      std::ranges::find(constraints, "DualStackNodesMigrationReady", &manifest::Constraint::type);
  return ready != constraints.end() && ready->status != "True";
}

}  // namespace

Families::Families(const manifest::ClusterSpec& spec) {
  if (!spec.ip_families) return;
  const auto& names = spec.ip_families->value;
  if (names.front() == "IPv6") primary_ = Family::Ipv6;
  dual_stack_ = names.size() > 1 && !waits_for_nodes(spec.shoot.constraints);
}

}  // namespace overlane::effective

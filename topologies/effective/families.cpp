#include "topologies/effective/families.h"

namespace overlane::effective {
namespace {

/// gardener-extension-networking-calico pkg/controller/actuator_reconcile.go: until the nodes of a
/// shoot that becomes dual-stack are rolled, its network has only the first family.
bool waits_for_nodes(const manifest::ShootSpec& shoot) {
  const manifest::Constraint* ready = shoot.constraint("DualStackNodesMigrationReady");
  return ready != nullptr && ready->status != "True";
}

}  // namespace

Families::Families(const manifest::PodNetworkSpec& spec) {
  if (spec.ip_families) {
    const auto& names = spec.ip_families->value;
    if (names.front() == "IPv6") primary_ = Family::Ipv6;
    dual_stack_ = names.size() > 1 && !waits_for_nodes(spec.shoot);
  }
  infrastructure_dual_stack_ = dual_stack_ || spec.shoot.status_nodes.size() > 1;
}

}  // namespace overlane::effective

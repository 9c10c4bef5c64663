#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

/// A routed shoot that may have had an overlay before.
bool may_have_switched(const LintInputs& in) {
  const effective::NetworkInputs& shoot = in.shoot;
  return shoot.stage == effective::Stage::Live && shoot.overlay.enabled == false &&
         shoot.provider.routes.pods == provider::PodPath::RouteTable;
}

void check_asleep(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  const auto& asleep = shoot.hibernation ? shoot.hibernation : shoot.hibernated;
  if (may_have_switched(in) && in.shoot.provider.routes.cleans_up_calico && asleep &&
      asleep->value && !shoot.control_plane.calico_cleanup_completed)
    report.add(
        *asleep,
        "the shoot is hibernated: calico's node conditions are cleaned up only when it wakes up");
}

void check_no_clean_up(const LintInputs& in, RuleReport& report) {
  if (may_have_switched(in) && !in.shoot.provider.routes.cleans_up_calico &&
      in.shoot.provider.is_known())
    report.add(fmt::format(
        "provider {} does not clean up calico's node conditions after the overlay is switched off",
        in.shoot.provider.name));
}

constexpr const char* kCleanUp =
    "gardener-extension-provider-<name> pkg/controller/controlplane/actuator.go";

constexpr Check<LintInputs> kCleanUpLints[] = {
    {{.id = "clean-up-while-asleep",
      .section = "§5.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The overlay is switched off while the shoot is hibernated.",
      .why = "The conditions CalicoIsUp and CalicoIsDown that calico leaves on nodes are removed "
             "once after the switch, but not in hibernation: nodes may be unavailable after the "
             "shoot wakes up.",
      .remedy = "wake up the shoot and check the condition NetworkUnavailable of its nodes",
      .source = kCleanUp},
     check_asleep},
    {{.id = "no-clean-up-after-overlay",
      .section = "§5.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The provider does not remove calico's node conditions after the overlay is off.",
      .why = "aws, gcp and openstack do, azure and alicloud do not: a condition CalicoIsDown that "
             "a stopping calico-node left keeps a node tainted until it is replaced.",
      .remedy = "check the condition NetworkUnavailable of the nodes after the switch",
      .source = kCleanUp},
     check_no_clean_up},
};

}  // namespace

std::span<const Check<LintInputs>> clean_up_lints() {
  return kCleanUpLints;
}

}  // namespace overlane::calico

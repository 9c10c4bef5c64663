#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::calico {

namespace {

using cni::SwitchInputs;
using effective::EffectiveDataplane;
using effective::Encapsulation;
using effective::Mode;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

/// Whether the extension waits for the cloud's routes before it switches the overlay off.
bool waits_for_routes(const SwitchInputs& in) {
  return in.landscape.calico_seamless_switch && manifest::mutating_policies(in.spec.shoot).enabled;
}

void lint_overlay_off(const SwitchInputs& in, RuleReport& report) {
  if (in.goes(Mode::Overlay, Mode::Routed) && !waits_for_routes(in))
    report.add(
        fmt::format("the switch from {} to routed loses packets: BIRD rewrites the routes of all "
                    "nodes at once, a node keeps its old routes until its calico-node pod is "
                    "replaced, and neither waits for the cloud's routes",
                    to_string(in.before.dataplane.encapsulation)));
}

bool has(const EffectiveDataplane& network, Encapsulation encapsulation) {
  return network.dataplane.encapsulation == encapsulation;
}

void lint_other_tunnel(const SwitchInputs& in, RuleReport& report) {
  if (has(in.before, Encapsulation::Ipip) && has(in.after, Encapsulation::Vxlan))
    report.add(
        "with VXLAN, calico allocates addresses by calico-ipam, which does not know those "
        "of running pods: an address may be allocated twice, and BIRD's routes stay on the "
        "nodes");
  if (has(in.before, Encapsulation::Vxlan) && has(in.after, Encapsulation::Ipip))
    report.add(
        "with IPIP, routes follow the nodes' podCIDRs again: running pods with addresses "
        "outside their node's podCIDR are unreachable until they are recreated");
}

constexpr Check<SwitchInputs> kSwitchLints[] = {
    {{.id = "overlay-off-loses-packets",
      .section = "§5.1",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Switching off calico's overlay interrupts traffic.",
      .why = "BIRD stops using the tunnel on every node within seconds, its routes stay until each "
             "node's calico-node pod is replaced, two nodes at a time, and the cloud's routes may "
             "be written later than both. With SeamlessOverlaySwitch, and MutatingAdmissionPolicy "
             "in the shoot, the extension waits for the routes: see the landscape setting "
             "calico.seamless-overlay-switch.",
      .remedy = "take the steps of `overlane migrate`, which may avoid the outage",
      .source = "gardener-extension-networking-calico docs/operations/operations.md"},
     lint_overlay_off},
    {{.id = "tunnel-changed",
      .section = "§5.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Calico changes between IPIP and VXLAN while pods run.",
      .why = "VXLAN comes with calico-ipam, IPIP with host-local. Neither knows the addresses that "
             "the other has allocated, and nothing migrates them.",
      .remedy = "recreate all pods at once after the switch, or create a new shoot",
      .source = "gardener-extension-networking-calico pkg/charts/utils.go"},
     lint_other_tunnel},
};

void check_seamless(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  if (!in.shoot.landscape.calico_seamless_switch || in.shoot.overlay.enabled == false ||
      !shoot.kubernetes_version || manifest::mutating_policies(shoot).enabled)
    return;
  report.add(*shoot.kubernetes_version,
             fmt::format("Kubernetes {} has no MutatingAdmissionPolicy with these settings: "
                         "switching the overlay off will not wait for routes",
                         shoot.kubernetes_version->value));
}

constexpr Check<LintInputs> kSeamlessLints[] = {
    {{.id = "seamless-switch-unavailable",
      .section = "§5.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The overlay cannot be switched off seamlessly.",
      .why = "The feature gate SeamlessOverlaySwitch needs MutatingAdmissionPolicy in the shoot: "
             "general from Kubernetes 1.36 on, before that a feature gate and a runtimeConfig of "
             "the API server. Without it the switch is immediate and loses traffic.",
      .remedy = "enable the feature gate MutatingAdmissionPolicy and "
                "admissionregistration.k8s.io/v1beta1 (1.33: v1alpha1)",
      .source = "gardener-extension-networking-calico docs/operations/operations.md"},
     check_seamless},
};

/// Whether the shoot is routed and may have had an overlay before.
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

std::span<const Check<SwitchInputs>> switch_lints() {
  return kSwitchLints;
}

std::span<const Check<LintInputs>> seamless_lints() {
  return kSeamlessLints;
}

std::span<const Check<LintInputs>> clean_up_lints() {
  return kCleanUpLints;
}

}  // namespace overlane::calico

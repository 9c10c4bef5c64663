#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/manifest/spec/mutating_policies.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

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

}  // namespace

std::span<const Check<LintInputs>> seamless_lints() {
  return kSeamlessLints;
}

}  // namespace overlane::calico

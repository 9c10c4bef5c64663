#include <charconv>

#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"

namespace overlane::calico {
namespace {

using effective::Check;
using effective::Enforcer;
using effective::RuleReport;
using manifest::Switches;

/// The minor release of Kubernetes 1: 33 of "1.33.3"; 0 if it is not known.
int minor_release(const manifest::ShootSpec& shoot) {
  int minor = 0;
  if (!shoot.kubernetes_version || !shoot.kubernetes_version->value.starts_with("1.")) return 0;
  const std::string& text = shoot.kubernetes_version->value;
  std::from_chars(text.data() + 2, text.data() + text.size(), minor);
  return minor;
}

bool is_on(const Switches& switches, std::string_view name) {
  const auto found = switches.find(name);
  return found != switches.end() && found->second.value;
}

/// Alpha in 1.33, beta in 1.34 and 1.35, and there without more from 1.36 on.
bool has_mutating_policies(const manifest::ShootSpec& shoot) {
  constexpr int kAlpha = 33;
  constexpr int kGeneral = 36;
  const int minor = minor_release(shoot);
  if (minor >= kGeneral) return true;
  const Switches& apis = shoot.api_server_runtime_config;
  return minor >= kAlpha && is_on(shoot.api_server_feature_gates, "MutatingAdmissionPolicy") &&
         (is_on(apis, "admissionregistration.k8s.io/v1alpha1") ||
          is_on(apis, "admissionregistration.k8s.io/v1beta1"));
}

void check_seamless(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  if (!in.shoot.landscape.calico_seamless_switch || in.shoot.overlay.enabled == false ||
      !shoot.kubernetes_version || has_mutating_policies(shoot))
    return;
  report.add(*shoot.kubernetes_version,
             fmt::format("Kubernetes {} has no MutatingAdmissionPolicy as it stands: switching the "
                         "overlay off will not wait for routes",
                         shoot.kubernetes_version->value));
}

constexpr Check<LintInputs> kLints[] = {
    {{.id = "seamless-switch-unavailable",
      .section = "§5.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "A shoot whose overlay may be switched off can do so seamlessly.",
      .why = "The feature gate SeamlessOverlaySwitch needs MutatingAdmissionPolicy in the shoot: "
             "general from Kubernetes 1.36 on, before that a feature gate and a runtimeConfig of "
             "the API server. Without it the switch is immediate and loses traffic.",
      .remedy = "enable the feature gate MutatingAdmissionPolicy and "
                "admissionregistration.k8s.io/v1beta1 (1.33: v1alpha1)",
      .source = "gardener-extension-networking-calico docs/operations/operations.md"},
     check_seamless},
};

}  // namespace

std::span<const Check<LintInputs>> switch_lints() {
  return kLints;
}

}  // namespace overlane::calico

#include "topologies/cni/calico/mutating_policies.h"

#include <charconv>

namespace overlane::calico {
namespace {

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

}  // namespace

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

}  // namespace overlane::calico

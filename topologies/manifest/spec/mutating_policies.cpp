#include "topologies/manifest/spec/mutating_policies.h"

#include <charconv>

namespace overlane::manifest {
namespace {

/// The minor release of Kubernetes 1: 33 of "1.33.3"; 0 if it is not known.
int minor_release(const ShootSpec& shoot) {
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

MutatingPolicies mutating_policies(const ShootSpec& shoot) {
  constexpr int kAlpha = 33;
  constexpr int kBeta = 34;
  constexpr int kGeneral = 36;
  constexpr std::string_view kAlphaApi = "admissionregistration.k8s.io/v1alpha1";
  constexpr std::string_view kBetaApi = "admissionregistration.k8s.io/v1beta1";
  const int minor = minor_release(shoot);
  if (minor >= kGeneral) return {.enabled = true, .api = {}};
  if (minor < kAlpha) return {};
  const Switches& apis = shoot.api_server_runtime_config;
  return {.enabled = is_on(shoot.api_server_feature_gates, "MutatingAdmissionPolicy") &&
                     (is_on(apis, kAlphaApi) || is_on(apis, kBetaApi)),
          .api = minor >= kBeta ? kBetaApi : kAlphaApi};
}

}  // namespace overlane::manifest

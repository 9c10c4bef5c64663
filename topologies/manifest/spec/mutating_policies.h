#pragma once

#include <string_view>

#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::manifest {

/// MutatingAdmissionPolicy in a shoot's API server: alpha in Kubernetes 1.33, beta in 1.34
/// and 1.35, where a feature gate and a runtimeConfig enable it, and enabled from 1.36 on.
struct MutatingPolicies {
  bool enabled = false;
  /// The runtimeConfig that enables it beside the feature gate, "admissionregistration.k8s.io/
  /// v1beta1"; empty: it needs none, or the release is too old or not known.
  std::string_view api;
};

MutatingPolicies mutating_policies(const ShootSpec& shoot);

}  // namespace overlane::manifest

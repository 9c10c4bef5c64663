#pragma once

#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::calico {

/// Whether a shoot's API server has MutatingAdmissionPolicy, which the extension's feature gate
/// SeamlessOverlaySwitch needs: alpha in Kubernetes 1.33, beta in 1.34 and 1.35, where a feature
/// gate and a runtimeConfig bring it, and there without more from 1.36 on.
bool has_mutating_policies(const manifest::ShootSpec& shoot);

}  // namespace overlane::calico

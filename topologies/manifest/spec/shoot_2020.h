#pragma once

#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// The Shoot API that Gardener served until 2020, for old manifests that people still have. It is
// decoded into the same PodNetworkSpec as the current API.

/// Decodes a Shoot of garden.sapcloud.io/v1beta1, which Gardener served until 2020: the provider's
/// part is under spec.cloud.<provider>, and the network is calico, which got a providerConfig later
/// (gardener/gardener v1.0 pkg/apis/garden/v1beta1: types.go, defaults.go). Adds a warning
/// `deprecated-api-version`.
void decode_shoot_2020(const ShootView& shoot, PodNetworkSpec& spec, document::Problems& problems);

}  // namespace overlane::manifest

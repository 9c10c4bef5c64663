#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "topologies/effective/effective_dataplane.h"

namespace overlane::graph {

/// How a provider's VPC is built, as far as routing between nodes goes.
struct ProviderNetwork {
  effective::Provider provider;
  bool route_table_per_zone;
  std::uint32_t route_quota;  ///< Routes per table; 0 when not known.
  std::string_view route_quota_source;
  /// Anti-spoofing stays on and the pod range is listed as allowed (OpenStack's allowed address
  /// pairs), instead of being switched off (AWS source/destination check, IP forwarding of Azure
  /// and GCP).
  bool allows_pod_range_only;
  std::vector<std::uint8_t> dropped_protocols;  ///< IP protocol numbers the fabric does not carry.
};

/// The provider's row; providers without rules of their own share the last one.
const ProviderNetwork& provider_network(effective::Provider provider);

}  // namespace overlane::graph

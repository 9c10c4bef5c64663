#pragma once

#include <string>
#include <utility>

#include "topologies/derive/derive.h"

namespace overlane::derive::testing {

// Compares outline() with derive() of the same shoot, for tests: an Outline is computed without
// reasons, checks and lints, but its values must be those of the derivation.

/// Collects the names of the fields with different values.
class Differences {
 public:
  template <typename T>
  void compare(const char* field, const T& outlined, const T& derived) {
    if (outlined != derived) fields_.append(field).append(" ");
  }
  std::string take() { return std::move(fields_); }

 private:
  std::string fields_;
};

inline void compare_dataplanes(const effective::DecidedDataplane& a, const effective::Dataplane& b,
                               Differences& differences) {
  visit_dataplane([&](const char* name, const auto& outlined,
                      const auto& derived) { differences.compare(name, outlined.value, derived); },
                  a, b);
}

inline void compare_networks(const Outline& outlined, const effective::EffectiveDataplane& derived,
                             Differences& differences) {
  differences.compare("network", outlined.network.has_value(), !derived.opaque);
  if (!outlined.network || derived.opaque) return;
  const cni::NetworkDecision& network = *outlined.network;
  differences.compare("row", network.row, derived.row);
  differences.compare("masquerade", values_of(network.masquerade), derived.masquerade);
  compare_dataplanes(network.dataplane, derived.dataplane, differences);
  const auto& secondary = derived.secondary_dataplane;
  differences.compare("secondary", network.secondary.has_value(), secondary.has_value());
  if (network.secondary && secondary)
    compare_dataplanes(*network.secondary, *secondary, differences);
}

inline void compare_addressing(const effective::Addressing& addressing,
                               const effective::EffectiveDataplane& derived,
                               Differences& differences) {
  differences.compare("pods", addressing.pods.value, derived.pods);
  differences.compare("services", addressing.services.value, derived.services);
  differences.compare("nodes", addressing.nodes.value, derived.nodes);
  differences.compare("node_cidr_mask_size",
                      static_cast<std::uint8_t>(addressing.node_cidr_mask_size.value),
                      derived.node_cidr_mask_size);
  differences.compare("max_nodes", addressing.max_nodes.value, derived.max_nodes);
  differences.compare("max_pods", addressing.max_pods.value, derived.max_pods);
}

inline void compare_domains(const effective::RoutingDomain& a, const effective::RoutingDomain& b,
                            Differences& differences) {
  differences.compare("routing_domain.key", a.key, b.key);
  differences.compare("routing_domain.scope", a.scope, b.scope);
  differences.compare("routing_domain.sharing", a.sharing, b.sharing);
}

/// The names of the fields in which an outline differs from the result of derive(), each followed
/// by a blank. Tests expect an empty text.
inline std::string differences(const Outline& outlined,
                               const effective::EffectiveDataplane& derived) {
  Differences differences;
  differences.compare("stage", outlined.stage, derived.stage);
  differences.compare("provider", outlined.provider, derived.provider);
  differences.compare("ip_families", outlined.families.primary(), derived.primary_family());
  compare_addressing(outlined.addressing, derived, differences);
  compare_domains(outlined.routing_domain.value, derived.routing_domain, differences);
  compare_networks(outlined, derived, differences);
  return differences.take();
}

}  // namespace overlane::derive::testing

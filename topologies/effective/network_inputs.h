#pragma once

#include <cstdint>
#include <optional>

#include "topologies/effective/addressing.h"
#include "topologies/effective/landscape.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

// The inputs of a network extension for one shoot, after the provider's admission: the overlay
// block that admission may have written, the IP families, the ranges, and the uplink's MTU. The
// decide_… functions make those decisions that depend on the provider and not on the CNI.
// NetworkInputs holds references to the spec, the landscape and the profile, which must outlive it.

/// The overlay block of the NetworkConfig after the provider's admission, as the network extension
/// reads it.
struct OverlayDecision {
  std::optional<bool> enabled;  ///< Absent: no overlay key.
  bool pod_routes = false;      ///< overlay.createPodRoutes.
  Provenance basis;
  Provenance pod_routes_basis;
  manifest::Field<manifest::Overlay> given;  ///< The block in the manifest.
};

OverlayDecision decide_overlay(const manifest::PodNetworkSpec& spec,
                               const provider::Profile& provider, const Landscape& landscape,
                               Stage stage);

/// The inputs of a network extension, after the provider's admission.
struct NetworkInputs {
  const manifest::PodNetworkSpec& spec;
  const provider::Profile& provider;
  const Landscape& landscape;
  Stage stage = Stage::Create;
  Families families;
  OverlayDecision overlay;
  Addressing addressing;
  const Decided<std::uint32_t>& link_mtu;  ///< Bytes.

  /// Whether admission acts on this spec: the object is new, or a patch or update changes it.
  /// Otherwise the stored values of a live object hold as they are.
  bool admission_runs() const { return stage == Stage::Create || spec.is_changed; }
};

/// The IP MTU of the nodes' uplinks, bytes: from the infrastructureConfig, the landscape, or else
/// the provider's default, which is assumed.
Decided<std::uint32_t> decide_link_mtu(const manifest::PodNetworkSpec& spec,
                                       const provider::Profile& provider,
                                       const Landscape& landscape, Stage stage);

/// The MTU that the nodes of a live object may have instead of the assumed one, bytes: the object
/// does not show whether its infrastructureConfig sets the smaller one. Nothing: no other MTU is as
/// plausible.
std::optional<std::uint32_t> other_link_mtu(const manifest::PodNetworkSpec& spec,
                                            const provider::Profile& provider, Stage stage,
                                            const Decided<std::uint32_t>& link_mtu);

/// The scope in which other shoots could see this one's routes. The key names the VPC, vnet or
/// router; shoots with equal keys share it.
Decided<RoutingDomain> decide_routing_domain(const manifest::PodNetworkSpec& spec,
                                             const provider::Profile& provider);

/// Which kube-proxy mode, if any, translates service addresses.
Decided<ServiceRouting> kube_proxy_routing(const manifest::ShootSpec& shoot);

}  // namespace overlane::effective

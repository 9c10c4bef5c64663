#pragma once

#include <string>

#include "topologies/graph/testing/shoots.h"
#include "topologies/witness/witness.h"

namespace overlane::witness::testing {

// Shoots and overlaps for tests of witnesses: dataplanes on a provider with given ranges, and
// overlaps of two of them.

struct Ranges {
  const char* pods = "100.96.0.0/11";
  const char* nodes = "10.250.0.0/16";
  const char* services = "100.64.0.0/13";
};

/// Ranges that are disjoint from the defaults of Ranges.
inline constexpr Ranges kApart{
    .pods = "10.96.0.0/11", .nodes = "10.251.0.0/16", .services = "10.64.0.0/13"};
inline constexpr effective::Provider kClouds[] = {
    effective::Provider::Aws,       effective::Provider::Gcp,      effective::Provider::Azure,
    effective::Provider::OpenStack, effective::Provider::AliCloud, effective::Provider::Metal};

/// `shoot` on a provider under the name "garden-NAME/NAME", with Gardener's masquerading: towards
/// all destinations but pods and, if it is routed, the shoot's nodes.
inline effective::EffectiveDataplane on(effective::Provider provider, const char* name,
                                        effective::EffectiveDataplane shoot,
                                        const Ranges& ranges = {}) {
  using graph::testing::prefix;
  shoot.provider = provider;
  shoot.name = name;
  shoot.namespace_ = std::string("garden-") + name;
  shoot.pods = {prefix(ranges.pods)};
  shoot.nodes = {prefix(ranges.nodes)};
  shoot.services = {prefix(ranges.services)};
  shoot.masquerade = {.sources = shoot.pods, .except = shoot.pods};
  if (shoot.dataplane.mode == effective::Mode::Routed)
    shoot.masquerade.except.push_back(shoot.nodes.front());
  return shoot;
}

/// A shoot with an overlay that the provider supports.
inline effective::EffectiveDataplane overlay_on(effective::Provider provider, const char* name,
                                                const Ranges& ranges = {}) {
  return on(provider, name,
            provider == effective::Provider::Azure ? graph::testing::vxlan_shoot()
                                                   : graph::testing::ipip_shoot(),
            ranges);
}

inline IpPrefix range(const char* text) {
  return IpPrefix::parse(text).value();
}

/// A case in which the pods of both shoots overlap in `text`.
OverlapCase pods(const effective::EffectiveDataplane& a, const effective::EffectiveDataplane& b,
                 NetworkJoin network_relation, const char* text = "100.96.0.0/11",
                 bool carries_pod_routes = false);
/// The witness of the case. The test fails if there is none.
Witness find(const OverlapCase& overlap);
/// Expects that the reason of the witness names a state entry of one of its hops.
void expect_reason(const Witness& witness);

}  // namespace overlane::witness::testing

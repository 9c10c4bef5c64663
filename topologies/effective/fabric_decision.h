#pragma once

#include "topologies/effective/landscape.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

/// The MTU of the nodes' uplink: from the infrastructureConfig, the landscape, or else the
/// provider's default, which is assumed.
Decided<std::uint32_t> decide_link_mtu(const manifest::PodNetworkSpec& spec,
                                       const provider::Profile& provider,
                                       const Landscape& landscape);

/// The scope in which other shoots could see this one's routes. The key names the VPC, vnet or
/// router; shoots with equal keys share it.
Decided<RoutingDomain> decide_routing_domain(const manifest::PodNetworkSpec& spec,
                                             const provider::Profile& provider);

/// Which kube-proxy mode, if any, translates service addresses.
Decided<ServiceRouting> kube_proxy_routing(const manifest::ShootSpec& shoot);

}  // namespace overlane::effective

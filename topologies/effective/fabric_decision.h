#pragma once

#include "topologies/effective/basis.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/cluster_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

/// The MTU of the nodes' uplink: the infrastructureConfig's, or the landscape's, or the provider's
/// usual one, which is assumed.
Decided<std::uint32_t> decide_link_mtu(const manifest::PodNetworkSpec& spec,
                                       const provider::Profile& provider,
                                       const Landscape& landscape);

/// Which other shoots could see this one's routes. The key names the VPC, vnet or router; shoots
/// with equal keys share it.
Decided<RoutingDomain> decide_routing_domain(const manifest::PodNetworkSpec& spec,
                                             const provider::Profile& provider);

/// Which kube-proxy turns service addresses into pod addresses, when one does.
Decided<ServiceRouting> kube_proxy_routing(const manifest::ShootSpec& shoot);

}  // namespace overlane::effective

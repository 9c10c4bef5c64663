#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

// The InfrastructureConfig of a shoot and the InfrastructureStatus of a live shoot, with the fields
// of all providers in one structure: VPC or router, subnets per zone, MTU, dual-stack. Each
// provider extension has its own schema (pkg/apis/<provider>/v1alpha1/types_infrastructure.go). A
// decoder per provider in the .cpp maps it to these fields and warns about unknown fields. Fields
// that a provider does not have stay absent. The functions are pure.

/// One of `networks.zones[]`: the subnets of a zone, as ranges of new ones or ids of existing ones.
struct InfrastructureZone {
  std::string name;
  SourceLocation place;
  Field<IpPrefix> workers;        ///< aws, alicloud: `workers` (old: `worker`); azure: `cidr`.
  Field<IpPrefix> internal;       ///< aws: for internal load balancers.
  Field<IpPrefix> public_subnet;  ///< aws `public`: for load balancers and NAT gateways.
  Field<std::string> workers_subnet_id;   ///< aws.
  Field<std::string> internal_subnet_id;  ///< aws.
  Field<std::string> public_subnet_id;    ///< aws.
  Field<std::string> elastic_ip;          ///< aws, alicloud: the NAT gateway's address.
};

/// The value of ObservedSubnet::purpose for subnets of machines.
inline constexpr std::string_view kNodesPurpose = "nodes";

/// A subnet in an InfrastructureStatus.
struct ObservedSubnet {
  std::string id;  ///< The subnet's id; its name on gcp and azure.
  std::string purpose;
  std::string zone;
  Field<IpPrefix> cidr;  ///< azure.
};

/// The resources in an InfrastructureStatus. `network_id` has the format of
/// `Infrastructure::network_id`, for new and existing networks.
struct ObservedInfrastructure {
  Field<std::string> network_id;
  Field<std::string> resource_group;   ///< azure: the vnet's, or else the shoot's.
  Field<std::string> cloud_router;     ///< gcp.
  Field<std::string> subnet_network;   ///< openstack `networks.id`; `network_id` is the router's.
  Field<std::string> outbound_access;  ///< azure `networks.outboundAccessType`.
  std::vector<ObservedSubnet> subnets;
  std::vector<std::string> route_tables;  ///< azure.
};

/// The fields of an InfrastructureConfig about node networks and routing; names differ per provider
/// (<provider> pkg/apis/<provider>/v1alpha1/types_infrastructure.go). Each provider fills its own
/// fields.
struct Infrastructure {
  bool configured = false;  ///< Whether an InfrastructureConfig is given.
  /// The existing VPC (aws, alicloud: `vpc.id`; gcp: `vpc.name`), vnet (azure: `vnet.name`) or
  /// router (openstack: `router.id`) of the shoot; absent if it gets a new one.
  Field<std::string> network_id;
  Field<std::string> resource_group;  ///< azure `vnet.resourceGroup`.
  Field<IpPrefix> network_cidr;       ///< `vpc.cidr`, `vnet.cidr`.
  Field<IpPrefix> workers_cidr;       ///< `workers` (old: `worker`): one range for all zones.
  Field<IpPrefix> internal_cidr;      ///< gcp `internal`.
  std::vector<InfrastructureZone> zones;

  Field<std::int64_t> mtu;                  ///< gcp `networks.mtu`.
  Field<bool> mtu_customizer;               ///< aws `enableMTUCustomizer`.
  Field<bool> custom_route_table;           ///< alicloud `vpc.useCustomRouteTable`.
  Field<bool> dual_stack;                   ///< aws, gcp, alicloud `dualStack.enabled`.
  Field<std::string> ipv6_pool;             ///< aws `vpc.ipv6IpamPool.id`, openstack's subnet pool.
  Field<std::string> nodes_security_group;  ///< aws `nodesSecurityGroupID`.
  std::vector<std::string> gateway_endpoints;  ///< aws `vpc.gatewayEndpoints`.
  Field<std::string> cloud_router;             ///< gcp `vpc.cloudRouter.name`.
  Field<bool> cloud_nat;                       ///< gcp: whether there is a `cloudNAT` block.
  Field<bool> nat_gateway;            ///< azure `natGateway.enabled`, alicloud's managed one.
  Field<std::string> subnet_name;     ///< azure `networks.subnet.name`, an existing one.
  Field<bool> zoned;                  ///< azure.
  Field<std::string> subnet_network;  ///< openstack `networks.id`, an existing network.
  Field<std::string> subnet_pool;     ///< openstack `networks.subnetPool.id`.
  Field<std::string> floating_pool;   ///< openstack `floatingPoolName`.
  Field<bool> ipv6_networks;          ///< openstack: whether there is a `networks.ipv6` block.
  Field<IpPrefix> ipv6_nodes;         ///< openstack `networks.ipv6.nodeCIDR`.
  Field<IpPrefix> ipv6_pods;          ///< openstack `networks.ipv6.podCIDR`.
  Field<IpPrefix> ipv6_services;      ///< openstack `networks.ipv6.serviceCIDR`.
  Field<std::string> partition;       ///< metal.
  Field<std::string> project;         ///< metal.
  std::vector<std::string> firewall_networks;  ///< metal.

  ObservedInfrastructure observed;
};

/// Decodes the InfrastructureConfig of a shoot of `provider`; if that is empty, the config's
/// apiVersion tells the provider. Unknown fields are warnings. Configs of providers without a
/// decoder are ignored.
void decode_infrastructure_config(std::string_view provider, const document::Value& config,
                                  Infrastructure& infrastructure, document::Problems& problems);

/// Decodes an InfrastructureStatus; ignores unknown fields.
void decode_infrastructure_status(std::string_view provider, const document::Value& status,
                                  ObservedInfrastructure& observed, document::Problems& problems);

}  // namespace overlane::manifest

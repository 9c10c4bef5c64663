#include "topologies/effective/provider_rules.h"

#include <algorithm>
#include <iterator>

namespace overlane::effective {
namespace {

using Scope = RoutingDomain::Scope;

/// One row per provider. Repositories are github.com/gardener/gardener-extension-provider-<name>
/// (metal: github.com/metal-stack), read in August 2026; azure's in July.
constexpr ProviderRules kRules[] = {
    {.provider = Provider::Aws,
     .name = "aws",
     .new_overlay = NewOverlay::Off,
     .mutator = "gardener-extension-provider-aws/pkg/admission/mutator/shoot.go",
     .route_controller =
         "gardener/aws-custom-route-controller; "
         "gardener-extension-provider-aws/pkg/controller/controlplane/valuesprovider.go",
     .routes_follow_overlay = true,
     .cleans_up_calico = true,
     .makes_vpcs = true,
     .nodes_required = true,
     .single_flow_cap = "AWS EC2 user guide: 5 Gbit/s for one flow, 10 in a placement group",
     .nameserver_offset = 2,  // AWS VPC user guide, "Amazon DNS server".
     .ipv6_needs_routed = true,
     .ipv6_by_interface = true,  // A /80 delegated to the node's network interface.
     .dual_stack_node_mask = 24,
     .dual_stack_node_mask_source = "gardener-extension-provider-aws docs/usage/ipv6.md",
     .scope = Scope::Table,
     .network_id_is_unique = true,
     .link_mtu = 9001,
     .link_mtu_source = "AWS EC2 user guide: jumbo frames inside a VPC"},
    {.provider = Provider::Gcp,
     .name = "gcp",
     .new_overlay = NewOverlay::Off,
     .mutator = "gardener-extension-provider-gcp/pkg/admission/mutator/shoot.go",
     .route_controller =
         "gardener-extension-provider-gcp/pkg/controller/controlplane/valuesprovider.go",
     .dns_snat_forced_off = DnsSnat::ForAll,
     .routes_follow_overlay = true,
     .cleans_up_calico = true,
     .nodes_required = true,
     .ipv6 = Ipv6Rule::DualOnly,
     .ipv6_needs_routed = true,
     .ipv6_by_interface = true,
     .dual_stack_by_interface = true,  // Alias IP ranges of both families.
     .scope = Scope::Vpc,
     .link_mtu = 1460,
     .link_mtu_source = "Google Cloud VPC documentation: default MTU of a network"},
    {.provider = Provider::Azure,
     .name = "azure",
     .new_overlay = NewOverlay::OffForCilium,
     .mutator = "gardener-extension-provider-azure/pkg/admission/mutator/shoot.go",
     .route_controller = "gardener-extension-provider-azure/charts/internal/seed-controlplane/"
                         "charts/cloud-controller-manager",
     .backend_none_webhook = "gardener-extension-provider-azure/pkg/webhook/network/mutate.go",
     .calico_overlay_refused_by =
         "gardener-extension-provider-azure/pkg/apis/azure/validation/shoot.go",
     .nodes_required = true,
     .drops_ipip = "Azure virtual network FAQ: TCP, UDP, ICMP, ESP and AH only",
     .nameserver = "168.63.129.16",  // Azure: "What is IP address 168.63.129.16?"
     .ipv6 = Ipv6Rule::Forbidden,
     .scope = Scope::Table,
     .link_mtu_source = "Azure virtual network documentation: default MTU"},
    {.provider = Provider::OpenStack,
     .name = "openstack",
     .new_overlay = NewOverlay::ByLandscape,
     .mutator = "gardener-extension-provider-openstack/pkg/admission/mutator/shoot.go",
     .route_controller =
         "gardener-extension-provider-openstack/pkg/controller/controlplane/valuesprovider.go",
     .pod_routes_when_routed = true,
     .routes_follow_overlay = true,
     .nodes_share_link = true,
     .cleans_up_calico = true,
     .ipv6 = Ipv6Rule::DualOnly,
     .scope = Scope::Router,
     .network_id_is_unique = true,
     .link_mtu = 1450,
     .link_mtu_source = "OpenStack Neutron: MTU of a VXLAN tenant network on a 1500 fabric"},
    {.provider = Provider::AliCloud,
     .name = "alicloud",
     .new_overlay = NewOverlay::Off,
     .mutator = "gardener-extension-provider-alicloud/pkg/admission/mutator/shoot.go",
     .route_controller = "gardener-extension-provider-alicloud/charts/internal/seed-controlplane/"
                         "charts/cloud-controller-manager",
     .dns_snat_forced_off = DnsSnat::ForCalico,
     .nodes_share_link = true,
     .makes_vpcs = true,
     .scope = Scope::Vpc,
     .network_id_is_unique = true,
     .link_mtu_source = "Alibaba Cloud ECS documentation: default MTU"},
    {.provider = Provider::Metal,
     .name = "metal",
     .mutator = "gardener-extension-provider-metal/pkg/admission/mutator",
     .route_controller = "gardener-extension-provider-metal: nodes announce routes by BGP",
     .bare_calico_backend = "none",
     .bare_cilium_tunnel = "disabled",
     .bare_cilium_mtu = 1440,
     .default_pods = "10.240.0.0/13",  // A landscape's DEFAULTER_* can change these.
     .default_services = "10.248.0.0/18",
     .default_max_pods = 250,
     .default_node_mask = 23,
     .nodes_share_link = true,
     .native_routes = RoutesBy::Bgp,
     .link_mtu_source = "Ethernet default"},
    {.provider = Provider::Local,
     .name = "local",
     .route_controller = "gardener/gardener docs/extensions/provider-local.md",
     .nodes_share_link = true,
     .native_routes = RoutesBy::None,
     .one_network = "gardener/gardener docs/extensions/provider-local.md",
     .link_mtu_source = "Ethernet default"},
};

constexpr ProviderRules kOther{.nodes_share_link = true, .link_mtu_source = "Ethernet default"};

}  // namespace

const ProviderRules& rules_of(std::string_view provider_name) {
  const auto row = std::ranges::find(kRules, provider_name, &ProviderRules::name);
  return row == std::end(kRules) ? kOther : *row;
}

const ProviderRules& rules_of(Provider provider) {
  const auto row = std::ranges::find(kRules, provider, &ProviderRules::provider);
  return row == std::end(kRules) ? kOther : *row;
}

bool forces_dns_snat_off(const ProviderRules& rules, std::string_view network_type) {
  return rules.dns_snat_forced_off == DnsSnat::ForAll ||
         (rules.dns_snat_forced_off == DnsSnat::ForCalico && network_type == "calico");
}

RoutesBy native_routes(const ProviderRules& rules, const Families& families, Family family) {
  const bool by_interface = family == Family::Ipv6
                                ? rules.ipv6_by_interface
                                : rules.dual_stack_by_interface && families.are_two_below();
  return by_interface ? RoutesBy::CloudInterface : rules.native_routes;
}

}  // namespace overlane::effective

#include "dataplane/wire/ip.h"
#include "topologies/provider/profile.h"

// The profile of provider gcp: its extension, cloud-provider-gcp, and Google's VPC networks.
namespace overlane::provider {
namespace {

constexpr std::uint8_t kGcpIpv4[] = {wire::kIcmp, wire::kIpv4InIp, wire::kTcp, wire::kUdp};
constexpr std::uint8_t kGcpIpv6[] = {wire::kIcmpv6, wire::kIpv4InIp, wire::kTcp, wire::kUdp};
/// The firewall rule "allow-internal-access" of gardener-extension-provider-gcp
/// pkg/controller/infrastructure/infraflow. It has no target tags, so it applies to every instance
/// of the VPC.
constexpr FilterRule kGcpRules[] = {
    {.from = FilterRule::From::PodsAndNodes, .protocols = kGcpIpv4},
    {.from = FilterRule::From::NodesAndServicesIpv6, .protocols = kGcpIpv6}};

}  // namespace

constinit const Profile kGcp{
    .provider = Provider::Gcp,
    .name = "gcp",
    // Releases of 2022 handled calico and cilium only.
    .admission = {.new_overlay = NewOverlay::Off,
                  .mutator = "gardener-extension-provider-gcp pkg/admission/mutator/shoot.go",
                  .dns_snat_forced_off = DnsSnat::ForAll,
                  .nodes_required = true,
                  .ipv6 = Ipv6Rule::DualOnly,
                  .ipv6_needs_routed = true},
    .node_subnets = {.kind = SubnetLayout::Kind::One,
                     .source =
                         "gardener-extension-provider-gcp "
                         "pkg/apis/gcp/v1alpha1/types_infrastructure.go: networks.workers, as "
                         "subnets of GCP are regional"},
    .infrastructure = {.workers_within_nodes = true,
                       .internal_apart = true,
                       .workers_range_required = true,
                       .router_required = true,
                       .mtu_of_new_network_only = true,
                       .workers_only_grow = true,
                       .mtu_fixed = true},
    .routes =
        {.controller = "gardener-extension-provider-gcp "
                       "pkg/controller/controlplane/valuesprovider.go",
         .follow_overlay = true,
         .quota = RouteQuota{.usual = 300,
                             .source = "gardener-extension-provider-gcp issue 558",
                             .lowest = 200,
                             .lowest_source = "gardener-extension-provider-gcp docs/usage/ipv6.md",
                             // Google Cloud, "Routes": the default route is a static one; those
                             // of subnets are not.
                             .own_routes = 1,
                             .holder = "VPC network"},
         .find_tables_command = "NETWORK=$(gcloud compute networks subnets list --filter "
                                "\"name=$ID-nodes\" --format 'value(network.basename())')",
         // The cloud-controller-manager finds its routes by name and description.
         .create_command = "zone=${id%/*}; gcloud compute routes create \"${ID:0:26}-$(uuidgen)\" "
                           "--description k8s-node-route --network \"$NETWORK\" "
                           "--destination-range \"$cidr\" --next-hop-instance \"$node\" "
                           "--next-hop-instance-zone \"${zone##*/}\"",
         .delete_command = "gcloud compute routes delete --quiet $(gcloud compute routes list "
                           "--filter \"name~^${ID:0:26}- AND destRange=$cidr\" "
                           "--format 'value(name)')",
         .show_command = "gcloud compute routes list --filter \"name~^${ID:0:26}- AND "
                         "destRange=$cidr\" --format 'value(destRange,name)'",
         // kubernetes/cloud-provider-gcp: first characters of the technical id and the node's UID.
         .name_length = 26,
         // A cluster identifies its routes by name, and all have priority 1000.
         .shared = {.keeps_both = true,
                    .outcome = "both shoots' routes stand with one priority, and this packet's "
                               "hash takes that of {}"},
         .cleans_up_calico = true,
         // gardener-extension-provider-gcp docs/usage/ipv6.md.
         .ipv6_delegation =
             Ipv6Delegation{
                 .interface_length = 96, .pod_cidr_length = 112, .holds_node_address = true},
         .dual_stack_by_interface = true},  // Alias IP ranges of both families.
    .fabric = {.scope = RouteScope::Vpc,
               .names_networks = true,
               .link_mtu = 1460,
               .link_mtu_source = "Google Cloud VPC documentation, mtu: default of a network",
               .egress_mtu_source =
                   "Google Cloud VPC documentation, mtu: 1500 to the internet, though "
                   "packets of up to 1600 bytes are not dropped",
               .honours_next_hop = false,
               // A static route must not hide a subnet's range (Google Cloud, "Routes").
               .protects_subnets = true,
               .filter = Filter{.name = "{}-allow-internal-access",
                                .every_instance = true,
                                .rules = kGcpRules}},
    .machines = {.nic = "gve",
                 .host_addresses = true,
                 .host_addresses_source =
                     "0intro/9legacy pull request 12: Google Compute Engine's DHCP gives mask "
                     "/32 and classless static routes (RFC 3442)"},
    // The first /108 of a separate subnet.
    .supposed_ipv6 =
        SupposedIpv6{"2001:db8::/64", "2001:db8:0:1::/108",
                     "gardener-extension-provider-gcp docs/usage/ipv6.md: GCP gives the "
                     "nodes' subnet a /64"},
    .consequences = {
        .routes_contested =
            "both route controllers write routes of priority 1000 into the one VPC network: for "
            "each pod CIDR that both have allocated there are two next hops, and packets go to a "
            "node of {first} or of {second} by their hash{spared}",
        .routes_over_hosts =
            "GCP refuses a route inside a subnet's range: nodes of {first} whose pod CIDR lies in "
            "addresses of {second} stay NoRouteCreated, and packets for their pods from other "
            "nodes are lost{spared}",
        .hosts_collide =
            "GCP takes no range of a subnet, nor a secondary one for pods, that lies over another "
            "one of the network: the infrastructure of the later of {first} and {second} fails"}};

}  // namespace overlane::provider

#include "topologies/provider/profile.h"

// The profile of provider azure: its extension, cloud-provider-azure, and Azure's virtual networks.
namespace overlane::provider {
namespace {

/// The protocols that Azure's network drops: IP in IP (4), IPv6 in IP (41) and GRE (47).
constexpr std::uint8_t kAzureDropped[] = {4, 41, 47};

}  // namespace

constinit const Profile kAzure{
    .provider = Provider::Azure,
    .name = "azure",
    .admission = {.new_overlay = NewOverlay::OffForCilium,
                  .mutator = "gardener-extension-provider-azure pkg/admission/mutator/shoot.go",
                  .backend_none_webhook =
                      "gardener-extension-provider-azure pkg/webhook/network/mutate.go",
                  .calico_overlay_refused_by =
                      "gardener-extension-provider-azure pkg/apis/azure/validation/shoot.go",
                  .nodes_required = true,
                  .ipv6 = Ipv6Rule::Forbidden},
    .node_subnets = {.kind = SubnetLayout::Kind::OneUnlessZones,
                     .source = "gardener-extension-provider-azure "
                               "pkg/apis/azure/v1alpha1/types_infrastructure.go: NetworkLayout "
                               "SingleSubnet and MultipleSubnet"},
    .infrastructure = {.subnets_within_network = true,
                       .workers_within_nodes = true,
                       .subnets_disjoint = true,
                       .pods_outside_network = true,
                       .pods_outside_subnets = true,
                       .workers_range_required = true,
                       .has_resource_groups = true,
                       .network_only_grows = true},
    .routes = {.controller = "gardener-extension-provider-azure "
                             "charts/internal/seed-controlplane/charts/cloud-controller-manager",
               .off_in_own_subnet = "gardener-extension-provider-azure pull request 1602: open",
               .table_per_subnet = true,
               // Azure subscription limits: "user-defined routes per route table"; system routes
               // are in no table.
               .quota = RouteQuota{.usual = 600,
                                   .source = "MicrosoftDocs/azure-docs pull request 128356",
                                   .lowest = 400,
                                   .lowest_source =
                                       "gardener-extension-provider-azure pull request 1602",
                                   .holder = "route table"},
               // kubernetes-sigs/cloud-provider-azure, delayed route updater.
               .writes = RouteWrites::WholeTable,
               // gardener-extension-provider-azure names the resource group after the technical id,
               // and has one route table (pkg/controller/infrastructure/infraflow).
               .find_tables_command = "TABLES=$(az network route-table list --resource-group "
                                      "\"$ID\" --query '[].name' --output tsv)",
               .create_command = "for table in ${TABLES:?no route table of the shoot}; do az "
                                 "network route-table route create "
                                 "--resource-group \"$ID\" --route-table-name \"$table\" --name "
                                 "\"$node\" --address-prefix \"$cidr\" --next-hop-type "
                                 "VirtualAppliance --next-hop-ip-address \"$address\"; done",
               .delete_command = "for table in ${TABLES:?no route table of the shoot}; do az "
                                 "network route-table route delete "
                                 "--resource-group \"$ID\" --route-table-name \"$table\" --name "
                                 "\"$node\"; done",
               .show_command = "for table in $TABLES; do az network route-table route list "
                               "--resource-group \"$ID\" --route-table-name \"$table\" --query "
                               "\"[?addressPrefix=='$cidr'].addressPrefix\" --output tsv; done",
               // kubernetes/cloud-provider controllers/route.
               .shared = {.deletes_foreign = true,
                          .outcome =
                              "the route controller of {} reconciled last: inside its own pod "
                              "range it removes unknown routes, until the other one reconciles"}},
    .fabric = {.scope = RouteScope::Table,
               .names_networks = true,
               .link_mtu_source = "Azure virtual network documentation, default MTU",
               .egress_mtu_source =
                   "MicrosoftDocs/azure-docs "
                   "articles/virtual-network/how-to-virtual-machine-mtu.md: more than 1500 "
                   "only inside a virtual network",
               .dropped_protocols = kAzureDropped,
               .dropped_protocols_source =
                   "Azure virtual network FAQ: TCP, UDP, ICMP, ESP and AH only",
               .drops_disordered_fragments = true,
               .honours_next_hop = false},
    .machines = {.nic = "mlx5",
                 .flow_allowance =
                     FlowAllowance{.what = "flows",
                                   .flows_per_connection = 2,
                                   .cores = 8,
                                   .flows_of_small = 100'000,
                                   .flows = 250'000,
                                   .effect = "Azure's network slows down beyond, and drops new "
                                             "flows beyond 500,000 in each direction",
                                   .source = "Microsoft Learn, Explore data flows"},
                 .breaks_ebpf = "Felix attaches its programs to the interfaces of accelerated "
                                "networking, enP*, and breaks them",
                 .nameserver = "168.63.129.16"},  // Azure: "What is IP address 168.63.129.16?"
    .consequences = {.routes_contested =
                         "both route controllers replace the whole shared route table, each "
                         "without the other's routes inside its own pods: packets for pods of "
                         "{first} and {second} there are lost in turn{spared}"}};

}  // namespace overlane::provider

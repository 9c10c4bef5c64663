#include "dataplane/wire/ip.h"
#include "topologies/provider/profile.h"

// The profile of provider aws: its extension, the aws-custom-route-controller, and Amazon VPC.
namespace overlane::provider {
namespace {

constexpr std::uint8_t kAwsTcpAndUdp[] = {wire::kTcp, wire::kUdp};
constexpr FilterRule::Ports kAwsNodePorts[] = {kDefaultNodePorts};
/// The nodes' security group: gardener-extension-provider-aws
/// pkg/controller/infrastructure/infraflow, ensureNodesSecurityGroup.
constexpr FilterRule kAwsRules[] = {{.from = FilterRule::From::GroupInterfaces},
                                    {.protocols = kAwsTcpAndUdp, .ports = kAwsNodePorts}};

}  // namespace

constinit const Profile kAws{
    .provider = Provider::Aws,
    .name = "aws",
    .admission = {.new_overlay = NewOverlay::Off,
                  .mutator = "gardener-extension-provider-aws pkg/admission/mutator/shoot.go",
                  .nodes_required = true,
                  .ipv6_needs_routed = true,
                  .dual_stack_node_mask = 24,
                  .dual_stack_node_mask_source = "gardener-extension-provider-aws "
                                                 "pkg/controller/controlplane/valuesprovider.go"},
    .node_subnets = {.kind = SubnetLayout::Kind::PerZone,
                     .source =
                         "gardener-extension-provider-aws "
                         "pkg/apis/aws/v1alpha1/types_infrastructure.go: networks.zones[].workers"},
    .infrastructure = {.subnets_within_network = true,
                       .workers_within_nodes = true,
                       .subnets_disjoint = true,
                       .pods_outside_network = true,
                       .pods_outside_subnets = true,
                       .names_or_gives_vpc = true,
                       .zones_required = true,
                       .switches_dual_stack = true,
                       .vpc_fixed = true},
    .routes =
        {.controller = "gardener/aws-custom-route-controller pkg/updater/routes.go; "
                       "gardener-extension-provider-aws "
                       "pkg/controller/controlplane/valuesprovider.go",
         .follow_overlay = true,
         // pkg/controller/controlplane/valuesprovider.go, getRouteControllerChartValues:
         // replicas 0 unless the ControlPlane's providerConfig has it (commit 2ff8d81).
         .switched_by_control_plane = true,
         .table_per_zone = true,
         .table_per_subnet = true,
         .quota = RouteQuota{.usual = 500,
                             .source =
                                 "gardener-extension-provider-aws docs/usage/bring-your-own-vpc.md",
                             .lowest = 50,
                             .lowest_source = "gardener-extension-provider-aws docs/usage/ipv6.md",
                             // Assumed: the VPC's own range, and the default route.
                             .own_routes = 2,
                             .holder = "route table"},
         // aws-custom-route-controller pkg/updater/routes.go.
         .writes = RouteWrites::OneByOne,
         .component = "aws-custom-route-controller",
         // pkg/controller/reconciler.go: updateNodeConditions follows an update of routes.
         .each_pass_writes_conditions = false,
         .last_table_decides = true,
         // The command finds the tables of the nodes' subnets. The route controller finds its
         // tables by the shoot's tag, but tables of existing subnets have no tag while there is an
         // overlay, and the main table, which has the tag, must not contain routes to pods.
         .find_tables_command =
             "TABLES=$(aws ec2 describe-route-tables --filters "
             "\"Name=association.subnet-id,Values=$(aws ec2 describe-instances --filters "
             "\"Name=tag-key,Values=kubernetes.io/cluster/$ID\" --query "
             "'Reservations[].Instances[].SubnetId' --output text | tr -s '[:space:]' , | sed "
             "'s/,$//')\" --query 'RouteTables[].RouteTableId' --output text)",
         .create_command = "for table in ${TABLES:?no route table of the nodes}; do aws ec2 "
                           "create-route --route-table-id "
                           "\"$table\" --destination-cidr-block \"$cidr\" --instance-id "
                           "\"${id##*/}\"; done",
         .delete_command = "for table in ${TABLES:?no route table of the nodes}; do aws ec2 "
                           "delete-route --route-table-id \"$table\" --destination-cidr-block "
                           "\"$cidr\"; done",
         .show_command = "aws ec2 describe-route-tables --route-table-ids $TABLES --query "
                         "\"RouteTables[].Routes[?DestinationCidrBlock=='$cidr' && "
                         "State=='active'].[DestinationCidrBlock,InstanceId]\" --output text",
         .by_hand_caution =
             "provider-aws docs/usage/bring-your-own-vpc.md forbids routes of pods by hand in a "
             "VPC of your own. This step only creates earlier what the route controller writes by "
             "itself and keeps: create no other routes.",
         .shared = {.deletes_foreign = true,
                    .outcome = "the route controller of {} reconciled last: inside its own pod "
                               "range it removes unknown routes, until the other one reconciles"},
         .cleans_up_calico = true,
         // Amazon EC2 user guide, "Prefix delegation": prefixes of IPv6 are /80.
         .ipv6_delegation = Ipv6Delegation{.interface_length = 80, .pod_cidr_length = 80}},
    .fabric = {.scope = RouteScope::Table,
               .names_networks = true,
               .network_id_is_unique = true,
               .link_mtu = 9001,
               .link_mtu_source = "Amazon EC2 user guide, network_mtu: jumbo frames inside a VPC",
               .egress_mtu_source =
                   "Amazon EC2 user guide, network_mtu: traffic over an internet gateway; "
                   "Amazon VPC user guide, path_mtu_discovery: the sender of a packet with "
                   "DF gets an ICMP error",
               .answers_within_subnet_only = true,
               // NAT64 (RFC 6052): gardener-extension-provider-aws
               // pkg/controller/infrastructure/infraflow/reconcile.go, ensurePrivateRoutingTable.
               .ipv6_egress = "64:ff9b::/96",
               // Amazon VPC user guide, "Subnet route tables".
               .keeps_local_routes = true,
               .filter = Filter{.name = "{}-nodes", .rules = kAwsRules},
               .given_group = {.why = "Gardener does not write the rules of the nodes' security "
                                      "group {}",
                               .tool = "aws ec2 describe-security-group-rules",
                               .command = "aws ec2 describe-security-group-rules --filters "
                                          "Name=group-id,Values={}"}},
    // Amazon EC2 User Guide, "Amazon EC2 instance network bandwidth": outside of a cluster
    // placement group.
    .machines = {.nic = "ena",
                 .single_flow = 5'000'000'000,
                 .single_flow_source =
                     "Amazon EC2 user guide, instance network bandwidth: 5 Gbit/s for one "
                     "flow, 10 in a placement group",
                 .single_flow_range = "10 Gbit/s in a cluster placement group, 25 with ENA Express",
                 // The maximum is not published and depends on the type. 100,000 is a round number
                 // below values that small instances report.
                 .flow_allowance =
                     FlowAllowance{.what = "tracked connections",
                                   .flows_per_connection = 1,
                                   .flows = 100'000,
                                   .effect = "an instance's maximum is not published; ethtool -S "
                                             "shows it as conntrack_allowance_available, and "
                                             "counts dropped packets in "
                                             "conntrack_allowance_exceeded",
                                   .source = "Amazon EC2 user guide, Monitor network performance "
                                             "for ENA settings; assumed: the number is below "
                                             "those that small instances report"},
                 // gardener-extension-provider-aws docs/usage/usage.md: enableMTUCustomizer.
                 .customized_mtu = 1460,
                 .nameserver_offset = 2},  // AWS VPC user guide, "Amazon DNS server".
    // The second /108 of the first zone's subnet is reserved for services.
    .supposed_ipv6 =
        SupposedIpv6{"2001:db8::/56", "2001:db8::10:0/108",
                     "gardener-extension-provider-aws "
                     "pkg/controller/infrastructure/infraflow/reconcile.go: AWS gives the VPC "
                     "a /56"},
    .consequences = {
        .routes_contested =
            "both aws-custom-route-controllers write into the shared route table, and each "
            "deletes the other's routes inside its own pods: packets for pods of {first} and "
            "{second} there are lost in turn{spared}",
        .routes_over_hosts =
            "AWS refuses a route inside the VPC's own ranges that is not exactly a subnet's: "
            "nodes of {first} whose pod CIDR lies in addresses of {second} stay NoRouteCreated, "
            "and "
            "packets for their pods from other nodes are lost{spared}"}};

}  // namespace overlane::provider

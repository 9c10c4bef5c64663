#include "dataplane/wire/ip.h"
#include "topologies/provider/profile.h"

// The profile of provider alicloud: its extension, cloud-provider-alibaba-cloud, and Alibaba's VPC.
namespace overlane::provider {
namespace {

constexpr std::uint8_t kAliCloudTcpAndUdp[] = {wire::kTcp, wire::kUdp};
constexpr std::uint8_t kAliCloudTcp[] = {wire::kTcp};
constexpr FilterRule::Ports kAliCloudNodePorts[] = {kDefaultNodePorts};
constexpr FilterRule::Ports kAliCloudOpenPorts[] = {{1, 22}, {24, 513}, {515, 65'535}};
/// The security group of the infrastructure in gardener-extension-provider-alicloud. It allows TCP
/// and UDP from the VPC's range except telnet (23) and shell (514). Instances of one group reach
/// each other by Alibaba Cloud's default, the only rule that allows protocol 4.
constexpr FilterRule kAliCloudRules[] = {
    {.from = FilterRule::From::Pods},
    {.from = FilterRule::From::Nodes, .protocols = kAliCloudTcpAndUdp, .ports = kAliCloudOpenPorts},
    {.protocols = kAliCloudTcp, .ports = kAliCloudNodePorts},
    {.from = FilterRule::From::GroupInterfaces}};

}  // namespace

constinit const Profile kAliCloud{
    .provider = Provider::AliCloud,
    .name = "alicloud",
    .admission = {.new_overlay = NewOverlay::Off,
                  .mutator = "gardener-extension-provider-alicloud pkg/admission/mutator/shoot.go",
                  .dns_snat_forced_off = DnsSnat::ForCalico,
                  .nodes_required = true},
    .node_subnets = {.kind = SubnetLayout::Kind::PerZone,
                     .source = "gardener-extension-provider-alicloud "
                               "pkg/apis/alicloud/v1alpha1/types_infrastructure.go: "
                               "networks.zones[].workers"},
    .infrastructure = {.subnets_within_network = true,
                       .workers_within_nodes = true,
                       .subnets_disjoint = true,
                       .pods_outside_network = true,
                       .pods_outside_subnets = true,
                       .names_or_gives_vpc = true,
                       .vpc_fixed = true,
                       .route_table_fixed = true},
    .routes =
        {.controller = "gardener-extension-provider-alicloud "
                       "charts/internal/seed-controlplane/charts/alicloud-cloud-controller-manager",
         .table_per_subnet = true,
         .has_system_table = true,
         // Alibaba Cloud VPC, "Limits": custom entries; system entries do not count.
         .quota = RouteQuota{.holder = "route table"},
         // gardener-extension-provider-alicloud names the VPC after the technical id.
         .find_tables_command = "TABLES=$(aliyun vpc DescribeVpcs --VpcName \"$ID-vpc\" | jq "
                                "-r '.Vpcs.Vpc[].RouterTableIds.RouterTableIds[]')",
         .find_tables_in = "TABLES=$(aliyun vpc DescribeVpcs --VpcId {} | jq -r "
                           "'.Vpcs.Vpc[].RouterTableIds.RouterTableIds[]')",
         .create_command =
             "for table in ${TABLES:?no route table of the shoot}; do aliyun vpc CreateRouteEntry "
             "--RouteTableId \"$table\" --DestinationCidrBlock \"$cidr\" "
             "--NextHopType Instance --NextHopId \"${id##*.}\"; done",
         .delete_command =
             "for table in ${TABLES:?no route table of the shoot}; do aliyun vpc DeleteRouteEntry "
             "--RouteTableId \"$table\" --DestinationCidrBlock \"$cidr\" "
             "--NextHopId \"${id##*.}\"; done",
         .show_command =
             "for table in $TABLES; do aliyun vpc DescribeRouteEntryList --RouteTableId "
             "\"$table\" --DestinationCidrBlock \"$cidr\" | jq -r "
             "'.RouteEntrys.RouteEntry[] | select(.Status == \"Available\") | "
             ".DestinationCidrBlock'; done",
         .nodes_share_link = true,
         // cloud-provider-alibaba-cloud pkg/controller/route/manager.go.
         .shared = {.outcome = "a destination stands once in the table, and {}'s nodes came to the "
                               "pod CIDR first"}},
    .fabric = {.scope = RouteScope::Vpc,
               .names_networks = true,
               .network_id_is_unique = true,
               .link_mtu_source = "Alibaba Cloud ECS documentation, default MTU",
               .pods_without_ipv6 = true,
               .filter = Filter{.name = "{}-sg", .rules = kAliCloudRules},
               .ipip_within_group_only = true,
               .ipip_filter = {.why = "no rule names IPIP, which the default access within a "
                                      "security group lets in",
                               .tool = "aliyun ecs DescribeSecurityGroupAttribute",
                               .command =
                                   "aliyun ecs DescribeSecurityGroupAttribute --SecurityGroupId "
                                   "\"$(aliyun ecs DescribeSecurityGroups --SecurityGroupName "
                                   "\"$ID-sg\" | jq -r "
                                   "'.SecurityGroups.SecurityGroup[0].SecurityGroupId')\" | jq "
                                   ".InnerAccessPolicy"},
               .closed_ports = "23 and 514",
               // gardener/dashboard issue 298; ECS documentation, instance metadata.
               .reserved = ReservedRange{"100.100.0.0/16",
                                         "Alibaba Cloud, for its name servers and metadata"}},
    .machines = {.nic = "virtio_net"},
    .consequences = {
        .routes_contested =
            "the VPC's system table holds one entry for a destination: of nodes of {first} and "
            "{second} with one pod CIDR the later stays NoRouteCreated, and packets for its pods "
            "go "
            "to the other{spared}; controllers write routes beside an overlay, too, which helps "
            "only its own shoot",
        .hidden_by_overlay =
            "the tunnels hide the pods of {first} and {second} from each other, but on this "
            "provider the controllers write routes all the same: of nodes with one pod CIDR the "
            "later stays NoRouteCreated until its calico-node says that the network is up"}};

}  // namespace overlane::provider

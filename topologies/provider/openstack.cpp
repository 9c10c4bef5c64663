#include "dataplane/wire/ip.h"
#include "topologies/provider/profile.h"

namespace overlane::provider {
namespace {

// The providers openstack and stackit. They share the facts of Neutron's networks, routers and
// security groups.

constexpr std::uint8_t kOpenStackNodePortProtocols[] = {wire::kTcp, wire::kUdp};
constexpr FilterRule::Ports kOpenStackNodePorts[] = {kDefaultNodePorts};
/// The nodes' security group: gardener-extension-provider-openstack
/// pkg/controller/infrastructure/infraflow, ensureSecGroupRules. The remote group is modelled as
/// Open vSwitch resolves it; compile uses RuleSource::GroupFixedAddresses with OVN.
constexpr FilterRule kOpenStackRules[] = {
    {.from = FilterRule::From::GroupAddresses},
    {.protocols = kOpenStackNodePortProtocols, .ports = kOpenStackNodePorts}};

constexpr Admission openstack_admission() {
  return {.new_overlay = NewOverlay::ByLandscape,
          .mutator = "gardener-extension-provider-openstack pkg/admission/mutator/shoot.go",
          .pod_routes_when_routed = true,
          .nodes_required = true,
          .ipv6 = Ipv6Rule::DualOnly};
}

constexpr SubnetLayout openstack_node_subnets() {
  return {.kind = SubnetLayout::Kind::One,
          .source =
              "gardener-extension-provider-openstack "
              "pkg/apis/openstack/v1alpha1/types_infrastructure.go: networks.workers"};
}

constexpr Infrastructure openstack_infrastructure() {
  return {.workers_within_nodes = true,
          .workers_range_required = true,
          .dual_stack_needs_networks = true,
          .network_fixed = true};
}

constexpr Routes openstack_routes() {
  return {.controller =
              "gardener-extension-provider-openstack "
              "pkg/controller/controlplane/valuesprovider.go",
          .follow_overlay = true,
          // OpenStack Networking API: max_routes limits the "routes" attribute, which holds extra
          // routes only; networks of the router and its gateway are not in it.
          .quota = RouteQuota{.usual = 512,
                              .source = "sapcc/helm-charts openstack/neutron/values.yaml",
                              .lowest = 256,
                              .lowest_source = "sapcc/helm-charts pull request 12242: before it",
                              .holder = "router"},
          .families_share_quota = true,
          // cloud-provider-openstack pkg/openstack/routes.go.
          .writes = RouteWrites::RouterUpdates,
          // A router of the shoot's own is named after the technical id; networks.router.id names
          // another one.
          .find_tables_command = "ROUTER=$(openstack router list --name \"$ID\" -f value -c ID)",
          .find_tables_in = "ROUTER={}",
          .create_command =
              "openstack router add route --route "
              "\"destination=$cidr,gateway=$address\" \"${ROUTER:?no router of the shoot}\"",
          .delete_command =
              "openstack router remove route --route "
              "\"destination=$cidr,gateway=$address\" \"${ROUTER:?no router of the shoot}\"",
          .show_command =
              "openstack router show \"$ROUTER\" -c routes -f json | jq -r --arg cidr \"$cidr\" "
              "'.routes[].destination | select(. == $cidr)'",
          .nodes_share_link = true,
          // cloud-provider-openstack pkg/openstack/routes.go.
          .shared = {.deletes_foreign = true,
                     .outcome = "the route controller of {} reconciled last: inside its own pod "
                                "range it treats the other's routes as black holes and removes "
                                "them, until the other one reconciles"},
          .cleans_up_calico = true};
}

constexpr Fabric openstack_fabric() {
  return {.scope = RouteScope::Router,
          .names_networks = true,
          .network_id_is_unique = true,
          .link_mtu = 1450,
          .link_mtu_source =
              "OpenStack Neutron documentation, MTU considerations: a VXLAN tenant "
              "network on a 1500 fabric",
          .allows_pod_range_only = true,
          .dropping_backend =
              DroppingBackend{.name = "OVN",
                              .setting = "openstack.ovn",
                              .question =
                                  "whether the networks are OVN's, which drops pods' own addresses "
                                  "(gardener-extension-provider-openstack issue 1404)",
                              .command = "openstack network agent list",
                              .reading = "OVN lists agents of type \"OVN Controller agent\""},
          .answers_within_subnet_only = true,
          .decrementing_hops = 1,
          .filter = Filter{.name = "{}", .rules = kOpenStackRules}};
}

/// Machines have virtio NICs. Nova's libvirt driver connects a port of vnic_type normal to
/// vhost-net with a tap device, or to vhost-user (nova/virt/libvirt/vif.py).
constexpr Machines openstack_machines() {
  return {.nic = "virtio_net", .virtio = true};
}

constexpr Consequences openstack_consequences() {
  return {.routes_contested =
              "each cloud-controller-manager takes the other's routes on the router for black "
              "holes and deletes them, every 10 seconds, in turn: Neutron gets calls without end, "
              "and packets for pods of {first} and {second} are lost in turn{spared}"};
}

constexpr const char* kAsOpenStack = "assumed: STACKIT is built on OpenStack";

/// The mutator of provider stackit does not change a shoot's networking.
constexpr Admission stackit_admission() {
  return {.mutator =
              "stackitcloud/gardener-extension-provider-stackit "
              "pkg/admission/mutator/mutator.go"};
}

constexpr SubnetLayout stackit_node_subnets() {
  return {.kind = SubnetLayout::Kind::One,
          .source =
              "stackitcloud/gardener-extension-provider-stackit "
              "pkg/apis/stackit/v1alpha1/types_infrastructure.go: networks.workers"};
}

/// The route controller runs where the overlay is off, the OpenStack cloud controller manager is
/// chosen, and BIRD does not announce the nodes' pods.
constexpr Routes stackit_routes() {
  Routes routes = openstack_routes();
  routes.controller =
      "stackitcloud/gardener-extension-provider-stackit "
      "pkg/controller/controlplane/valuesprovider.go: router ID of the "
      "OpenStack cloud controller manager";
  routes.off_with_bird =
      "stackitcloud/gardener-extension-provider-stackit "
      "pkg/controller/controlplane/valuesprovider.go: isBGPEnabled";
  routes.manager_choice =
      ManagerChoice{.with_routes = "openstack",
                    .preset = "stackit",
                    .source =
                        "stackitcloud/gardener-extension-provider-stackit "
                        "pkg/apis/stackit/v1alpha1/constants.go: DefaultCCMName; "
                        "stackitcloud/cloud-provider-stackit pkg/ccm/stackit.go: Routes"};
  routes.quota = RouteQuota{.holder = "router"};  // No public document gives a number.
  routes.cleans_up_calico = false;
  return routes;
}

constexpr Fabric stackit_fabric() {
  Fabric fabric = openstack_fabric();
  fabric.link_mtu_source = kAsOpenStack;
  return fabric;
}

}  // namespace

constinit const Profile kOpenStack{.provider = Provider::OpenStack,
                                   .name = "openstack",
                                   .admission = openstack_admission(),
                                   .node_subnets = openstack_node_subnets(),
                                   .infrastructure = openstack_infrastructure(),
                                   .routes = openstack_routes(),
                                   .fabric = openstack_fabric(),
                                   .machines = openstack_machines(),
                                   .consequences = openstack_consequences()};

/// Facts that the extension of stackitcloud does not give are assumed to be as on OpenStack.
constinit const Profile kStackit{.provider = Provider::Stackit,
                                 .name = "stackit",
                                 .admission = stackit_admission(),
                                 .node_subnets = stackit_node_subnets(),
                                 .infrastructure = openstack_infrastructure(),
                                 .routes = stackit_routes(),
                                 .fabric = stackit_fabric(),
                                 .machines = openstack_machines(),
                                 .consequences = openstack_consequences()};

}  // namespace overlane::provider

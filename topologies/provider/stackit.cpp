#include "topologies/provider/openstack.h"

namespace overlane::provider {
namespace {

constexpr const char* kAsOpenStack = "assumed: STACKIT is built on OpenStack";

/// Its mutator does not change a shoot's networking.
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

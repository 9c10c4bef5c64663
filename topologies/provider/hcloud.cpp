#include "topologies/provider/profiles.h"

namespace overlane::provider {

/// The extension of 23technologies creates one network with one subnet of the same range for a
/// shoot's workers; its admission does not change the shoot's networking, and its validator
/// compares no ranges (pkg/hcloud/apis/validation/infrastructure.go).
constinit const Profile kHcloud{
    .provider = Provider::Hcloud,
    .name = "hcloud",
    .admission = {.mutator = "23technologies/gardener-extension-provider-hcloud "
                             "pkg/webhook/validator/registration.go"},
    .node_subnets = {.kind = SubnetLayout::Kind::One,
                     .source =
                         "23technologies/gardener-extension-provider-hcloud "
                         "pkg/hcloud/apis/v1alpha1/types_infrastructure.go: networks.workers or "
                         "networks.workersConfiguration.cidr"},
    .routes =
        // --allocate-node-cidrs and HCLOUD_NETWORK are set independent of the overlay.
    {.controller =
         "23technologies/gardener-extension-provider-hcloud charts/internal/seed-controlplane/"
         "charts/hcloud-cloud-controller-manager",
     // Other pod ranges get --configure-cloud-routes=false.
     .private_pods_only = "23technologies/gardener-extension-provider-hcloud "
                          "pkg/controller/controlplane/valuesprovider.go",
     // Assumed: routes of the network's subnets do not count, as its API does not list them.
     .quota = RouteQuota{.usual = 100,
                         .source = "assumed: Hetzner Cloud documentation, \"Networks\"",
                         .holder = "network"},
     // kubernetes/cloud-provider controllers/route.
     .shared = {.deletes_foreign = true,
                .outcome = "the route controller of {} passed last: inside its own pod range "
                           "it takes out what it does not know, until the other one passes"}},
    // Every packet goes through the network's gateway (Hetzner Cloud documentation, "Networks").
    .fabric = {.scope = RouteScope::Vpc,
               .link_mtu = 1450,
               .link_mtu_source =
                   "assumed: Hetzner Cloud documentation, MTU of a private network's interface",
               .honours_next_hop = false,
               // hetznercloud/hcloud-cloud-controller-manager docs/deploy_with_networks.md.
               .protects_subnets = true},
    // Linux 6.1 drivers/net/virtio_net.c.
    .machines = {.nic = "virtio_net",
                 .host_addresses = true,
                 .host_addresses_source =
                     "Hetzner Cloud changelog: DHCP of private networks gives mask /32 and "
                     "classless static routes over the network's gateway"}};

}  // namespace overlane::provider

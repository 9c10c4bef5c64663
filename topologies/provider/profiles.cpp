#include <algorithm>

#include "topologies/provider/profile.h"

// The list of all profiles, lookups in it, and the profiles with few facts: hcloud, local, metal,
// and the profile of unknown providers.
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
                .outcome = "the route controller of {} reconciled last: inside its own pod range "
                           "it removes unknown routes, until the other one reconciles"}},
    // Every packet goes through the network's gateway (Hetzner Cloud documentation, "Networks").
    .fabric = {.scope = RouteScope::Vpc,
               .link_mtu = 1450,
               .link_mtu_source =
                   "assumed: Hetzner Cloud documentation, MTU of a private network's interface",
               .honours_next_hop = false,
               // hetznercloud/hcloud-cloud-controller-manager docs/deploy_with_networks.md.
               .protects_subnets = true},
    .machines = {.nic = "virtio_net",
                 .host_addresses = true,
                 .host_addresses_source =
                     "Hetzner Cloud changelog: DHCP of private networks gives mask /32 and "
                     "classless static routes over the network's gateway"}};

namespace {

constinit const Profile kOther{.routes = {.nodes_share_link = true}};

}  // namespace

std::span<const Profile* const> profiles() {
  static constexpr const Profile* kProfiles[] = {
      &kAws, &kGcp, &kAzure, &kOpenStack, &kAliCloud, &kMetal, &kLocal, &kStackit, &kHcloud};
  return kProfiles;
}

const Profile& profile_of(std::string_view name) {
  const auto row = std::ranges::find(profiles(), name, &Profile::name);
  return row == profiles().end() ? kOther : **row;
}

const Profile& profile_of(Provider provider) {
  const auto row = std::ranges::find(profiles(), provider, &Profile::provider);
  return row == profiles().end() ? kOther : **row;
}

std::string_view to_string(Provider provider) {
  const Profile& profile = profile_of(provider);
  return profile.is_known() ? profile.name : "other";
}

std::string_view to_string(RouteScope scope) {
  switch (scope) {
    case RouteScope::Vpc:
      return "vpc";
    case RouteScope::Table:
      return "table";
    case RouteScope::Router:
      return "router";
  }
  return "";
}

constinit const Profile kLocal{
    .provider = Provider::Local,
    .name = "local",
    .routes = {.pods = PodPath::None,
               .controller = "gardener/gardener docs/extensions/provider-local.md",
               .nodes_share_link = true},
    .fabric = {.one_network = "gardener/gardener docs/extensions/provider-local.md"},
    .consequences = {.between_clusters =
                         "each of {first} and {second} works by itself, by routes on its own "
                         "nodes; pods of one do not reach the other's"}};

constinit const Profile kMetal{
    .provider = Provider::Metal,
    .name = "metal",
    .admission = {.mutator = "metal-stack/gardener-extension-provider-metal pkg/admission/mutator",
                  .bare_calico_backend = "none",
                  .bare_cilium_tunnel = "disabled",
                  .bare_cilium_mtu = 1440,
                  .default_pods = "10.240.0.0/13",  // A landscape's DEFAULTER_* can change these.
                  .default_services = "10.248.0.0/18",
                  .default_max_pods = 250,
                  .default_node_mask = 23},
    .node_subnets = {.kind = SubnetLayout::Kind::One,
                     .source =
                         "metal-stack/gardener-extension-provider-metal "
                         "pkg/apis/metal/v1alpha1/types_infrastructure.go: one partition, with "
                         "one private network for the nodes"},
    .routes = {.pods = PodPath::Bgp,
               .controller = "metal-stack/gardener-extension-provider-metal "
                             "pkg/admission/mutator/defaulter.go: nodes announce routes by BGP",
               .nodes_share_link = true}};

}  // namespace overlane::provider

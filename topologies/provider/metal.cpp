#include "topologies/provider/profiles.h"

namespace overlane::provider {
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

#include "topologies/provider/profiles.h"

namespace overlane::provider {
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

}  // namespace overlane::provider

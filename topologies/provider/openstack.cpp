#include "topologies/provider/openstack.h"

#include "topologies/provider/profiles.h"

namespace overlane::provider {
constinit const Profile kOpenStack{.provider = Provider::OpenStack,
                                   .name = "openstack",
                                   .admission = openstack_admission(),
                                   .node_subnets = openstack_node_subnets(),
                                   .infrastructure = openstack_infrastructure(),
                                   .routes = openstack_routes(),
                                   .fabric = openstack_fabric(),
                                   .machines = openstack_machines(),
                                   .consequences = openstack_consequences()};

}  // namespace overlane::provider

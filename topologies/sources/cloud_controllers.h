#pragma once

#include "topologies/sources/source.h"

namespace overlane::sources {

// Files of Kubernetes' cloud controller managers, which write the routes to pods.

inline constexpr Snapshot kCloudProvider{"46666112f47d004d76fb91406104f94e6a504b2f", "2026-06-12"};
inline constexpr Snapshot kCloudProviderGcp{"4e24531247d7f37b936881c0a5c186ffc8cd72d1",
                                            "2026-08-19"};
inline constexpr Snapshot kCloudProviderOpenStack{"c453fb7c9bbb2091aee763d9d2809cc81fdf31c6",
                                                  "2026-07-15"};
inline constexpr Snapshot kCloudProviderAzure{"7b31c76ce2ff602cc2dfec988744d8d0534b448c",
                                              "2026-08-19"};
inline constexpr Snapshot kCloudProviderAliCloud{"eeb0ddc687ee5ee9d3726559d6a8ec056f694947",
                                                 "2026-04-10"};

inline constexpr Source kCloudControllersSources[] = {
    {"kubernetes/cloud-provider controllers/route/route_controller.go",
     kCloudProvider,
     "12cc3cb7fbb6af5535a7d9b497d79fdc6daf32b2",
     {{{"200 operations on routes at a time", "maxConcurrentRouteOperations int = 200"},
       {"nodes without a route are NoRouteCreated", "Reason:             \"NoRouteCreated\""}}}},
    {"kubernetes/cloud-provider config/v1alpha1/defaults.go",
     kCloudProvider,
     "bbaa65714d5b86024088b3321db3002dabd27b14",
     {{{"a pass every 10 s",
        "obj.RouteReconciliationPeriod = metav1.Duration{Duration: 10 * time.Second}"}}}},
    {"kubernetes/cloud-provider-gcp providers/gce/gce_routes.go",
     kCloudProviderGcp,
     "c92d103d43439dc28d7d73bf2899aba03522a69f",
     {{{"routes have priority 1000", "Priority:        1000"},
       {"their names begin with the cluster's",
        "truncateClusterName(clusterName) + \"-\" + nameHint"}}}},
    {"kubernetes/cloud-provider-openstack pkg/openstack/routes.go",
     kCloudProviderOpenStack,
     "850061750d412a177259e43e629cb41ee896e76b",
     {{{"unknown routes are black holes and deleted", "Blackhole:       !foundNode"},
       {"the whole router is written",
        "unwind, err := updateRoutes(ctx, r.network, router, routes)"}}}},
    {"kubernetes-sigs/cloud-provider-azure pkg/consts/consts.go",
     kCloudProviderAzure,
     "823c605048d2897ed9c0fd8fa7de2a0a14c31429",
     {{{"the table is written every 30 s", "DefaultRouteUpdateIntervalInSeconds = 30"}}}},
    {"kubernetes-sigs/cloud-provider-azure pkg/provider/azure_routes.go",
     kCloudProviderAzure,
     "909fd97e45e9b1352334b8bedb5a657fb506398e",
     {{{"routes are collected and written together",
        "func newDelayedRouteUpdater(az *Cloud, interval time.Duration) batchProcessor"}}}},
    {"kubernetes/cloud-provider-alibaba-cloud pkg/controller/route/manager.go",
     kCloudProviderAliCloud,
     "e9848a3bff86fa562a7cdbe67c5ef22b0589cf0f",
     {{{"routes that conflict with nodes are deleted",
        "func conflictWithNodes(route *model.Route, nodes *v1.NodeList) bool"}}}},
    {"kubernetes/cloud-provider-openstack issue 2089",
     {.date = "2026-08"},
     "",
     {{{"200 concurrent updates of a router hurt Neutron"}}}},
    {"kubernetes/cloud-provider node IPAM controller",
     {.date = "2026-08"},
     "",
     {{{"which nodes get a pod CIDR"}}}},
};

}  // namespace overlane::sources

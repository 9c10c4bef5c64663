#pragma once

#include "topologies/sources/source.h"

namespace overlane::sources {

// Files of provider extensions that others than the Gardener project maintain.

inline constexpr Snapshot kProviderHcloud{"7ee594b01b5a822a69d50f29cf8f0d1bc0b0fa8d", "2026-08-13"};
inline constexpr Snapshot kProviderMetal{"92eafdd544d7c17e723a229d6e961109d2ddecf2", "2026-08-20"};
inline constexpr Snapshot kProviderStackit{"87ca8d5120873003f0adce72a1e1098b099ecdc8",
                                           "2026-08-21"};
/// Release v1.36.3; those for older Kubernetes say the same.
inline constexpr Snapshot kCloudProviderStackit{"3ec04d506bd4caa916a5cf549764c3636ff85d32",
                                                "2026-08-21"};

inline constexpr Source kCommunityProvidersSources[] = {
    {"23technologies/gardener-extension-provider-hcloud "
     "charts/internal/seed-controlplane/charts/hcloud-cloud-controller-manager/templates/"
     "deployment.yaml",
     kProviderHcloud,
     "a9066f2ca43e671abb2da877ca94ead8aa208959",
     {{{"node CIDRs are allocated with and without overlay", "--allocate-node-cidrs=true"},
       {"no routes without a pod network", "--configure-cloud-routes=false"}}}},
    {"23technologies/gardener-extension-provider-hcloud "
     "pkg/controller/controlplane/valuesprovider.go",
     kProviderHcloud,
     "725a5360f65319072790f2197143eac68b29d2dd",
     {{{"routes only for a private pod range (RFC 1918, RFC 4193)",
        "if err == nil && ipAddr.IsPrivate() {"}}}},
    {"23technologies/gardener-extension-provider-hcloud "
     "pkg/hcloud/apis/v1alpha1/types_infrastructure.go",
     kProviderHcloud,
     "2be59247f1f57f1045accbaadb6dfa61fbcfdf4f",
     {{{"one nodes' subnet: networks.workers or workersConfiguration",
        "WorkersConfiguration *InfrastructureConfigNetwork `json:\"workersConfiguration\"`"}}}},
    {"23technologies/gardener-extension-provider-hcloud "
     "pkg/hcloud/apis/validation/infrastructure.go",
     kProviderHcloud,
     "38171abe1037e6b62b15395dfc2cb0d6d1416404",
     {{{"no ranges are compared", "func ValidateInfrastructureConfigSpec("}}}},
    {"23technologies/gardener-extension-provider-hcloud pkg/webhook/validator/registration.go",
     kProviderHcloud,
     "f8f7319ea4976abcd35978cef58028c7dbc15c65",
     {{{"admission validates shoots, and changes none",
        "NewShootValidator():        {{Obj: &core.Shoot{}}}"}}}},
    {"metal-stack/gardener-extension-provider-metal pkg/admission/mutator/config.go",
     kProviderMetal,
     "0d6aa6b43ec29c6260f2420f0bd1788fa56d1cf2",
     {{{"pods are 10.240.0.0/13 by default", "c.string(\"DEFAULTER_PODSCIDR\", \"10.240.0.0/13\")"},
       {"maxPods is 250 by default", "c.int32(\"DEFAULTER_MAXPODS\", 250)"},
       {"calico's backend is none by default", "string(calicoextensionv1alpha1.None)"},
       {"cilium's MTU is 1440 by default", "c.int32(\"DEFAULTER_CILIUMMTU\", 1440)"}}}},
    {"metal-stack/gardener-extension-provider-metal pkg/admission/mutator/defaulter.go",
     kProviderMetal,
     "f58daac8dd0098e4a3a9f864326e23952f92e553",
     {{{"nodes announce their pods by BGP",
        "networkConfig.BGPControlPlane = &ciliumextensionv1alpha1.BGPControlPlane{"}}}},
    {"metal-stack/gardener-extension-provider-metal "
     "pkg/apis/metal/v1alpha1/types_infrastructure.go",
     kProviderMetal,
     "fd4814873d6a5ec37ff45be9633f404955cc7568",
     {{{"one partition, with one private network for the nodes",
        "PartitionID     string   `json:\"partitionID\"`"}}}},
    {"stackitcloud/gardener-extension-provider-stackit pkg/admission/mutator/mutator.go",
     kProviderStackit,
     "af385423a6a4ce620cb2db579634e9a8e38fe3b8",
     {{{"admission changes NamespacedCloudProfiles only",
        "NewNamespacedCloudProfileMutator(mgr): {{Obj: "
        "&gardencorev1beta1.NamespacedCloudProfile{}"}}}},
    {"stackitcloud/gardener-extension-provider-stackit "
     "pkg/apis/stackit/v1alpha1/types_infrastructure.go",
     kProviderStackit,
     "6d7647c85cb048ac705f6901769e148c90700db6",
     {{{"one nodes' subnet for all zones",
        "// Workers is a CIDRs of a worker subnet (private) to create (used for the VMs)."}}}},
    {"stackitcloud/gardener-extension-provider-stackit "
     "pkg/controller/controlplane/valuesprovider.go",
     kProviderStackit,
     "49d006d32c6727a007ecb985a5ca606da09dee08",
     {{{"routes are written only without overlay and without a BGP backend",
        "useRouteController := !overlayEnabled && !BGPEnabled"},
       {"a BGP backend is calico's bird where the Shoot names it",
        "return *backend == calicov1alpha1.Bird, nil"},
       {"OpenStack's cloud controller manager runs only where the Shoot names it",
        "enabled := getCCMController(cpConfig) == stackitv1alpha1.OPENSTACK"}}}},
    {"stackitcloud/gardener-extension-provider-stackit pkg/apis/stackit/v1alpha1/constants.go",
     kProviderStackit,
     "42400ae665da2b948b7b5241c36ff4ca68dfcad0",
     {{{"STACKIT's cloud controller manager is the default", "DefaultCCMName = \"stackit\""}}}},
    {"stackitcloud/cloud-provider-stackit pkg/ccm/stackit.go",
     kCloudProviderStackit,
     "f3417d093f8901d1fae8ddf8a34953658ca84be4",
     {{{"STACKIT's cloud controller manager has no route controller: false is returned",
        "func (ccm *CloudControllerManager) Routes() (cloudprovider.Routes, bool) {"}}}},
    {"hetznercloud/hcloud-cloud-controller-manager docs/deploy_with_networks.md",
     {.date = "2025-07-18"},
     "",
     {{{"a network refuses routes that overlap a subnet; the file was removed later (pull request "
        "957)"}}}},
};

}  // namespace overlane::sources

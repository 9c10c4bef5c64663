#include "topologies/derive/testing/rule_row.h"

namespace overlane::derive::testing {
namespace {

constexpr const char* kNetwork =
    "apiVersion: extensions.gardener.cloud/v1alpha1\n"
    "kind: Network\n"
    "metadata: {name: net, namespace: shoot--dev--one}\n"
    "spec: {type: calico, podCIDR: 100.96.0.0/11, serviceCIDR: 100.64.0.0/13}\n";
constexpr const char* kNetworkWithFamilies =
    "apiVersion: extensions.gardener.cloud/v1alpha1\n"
    "kind: Network\n"
    "metadata: {name: net, namespace: shoot--dev--one}\n"
    "spec: {type: calico, podCIDR: 100.96.0.0/11, serviceCIDR: 100.64.0.0/13, ipFamilies: "
    "[IPv4]}\n";
constexpr const char* kNoNodes = "pods: 100.96.0.0/11, services: 100.64.0.0/13";

}  // namespace

std::span<const RuleRow> provider_rule_rows() {
  static const RuleRow kRows[] = {
      {"§2.6",
       "provider-without-ipv6",
       {.provider = "azure", .families = "IPv4, IPv6"},
       {.provider = "azure"}},
      {"§2.6",
       "provider-without-ipv6",
       {.provider = "gcp", .families = "IPv6", .networking = "services: 'fd00::/112'"},
       {.provider = "gcp"}},
      {"§2.6",
       "ipv6-with-overlay",
       {.provider = "aws", .config = "overlay: {enabled: true}", .families = "IPv4, IPv6"},
       {.provider = "aws", .families = "IPv4, IPv6"}},
      {"§2.6",
       "ipv6-with-overlay",
       {.provider = "gcp", .config = "", .families = "IPv4, IPv6", .live = true},
       {.provider = "gcp", .families = "IPv4, IPv6", .live = true}},
      {"§4.5",
       "openstack-dual-stack-networks",
       {.provider = "openstack", .families = "IPv4, IPv6"},
       {.provider = "openstack",
        .families = "IPv4, IPv6",
        .infrastructure = "networks: {ipv6: {subnetPoolID: p}}"}},
      {"§2.6",
       "overlay-without-enabled",
       {.provider = "aws", .config = "overlay: {}"},
       {.provider = "aws"}},
      {"§2.6",
       "calico-overlay-on-azure",
       {.provider = "azure", .config = "overlay: {enabled: true}"},
       {.provider = "azure"}},
      {"§2.6", "nodes-required", {.provider = "aws", .networking = kNoNodes}, {.provider = "aws"}},
      {"§2.6",
       "nodes-required",
       {.provider = "aws", .networking = kNoNodes},
       {.provider = "aws",
        .config = "overlay: {enabled: false}",
        .families = "IPv6",
        .networking = "services: 'fd00::/112'"}},
      {"§2.6",
       "nodes-required",
       {.provider = "azure", .networking = kNoNodes},
       {.networking = kNoNodes}},
      {"§1.2", "workerless-with-network", {.workers = ""}, {}},
      {"§4.5",
       "alicloud-pods-without-ipv6",
       {.provider = "alicloud", .families = "IPv4, IPv6"},
       {.provider = "alicloud"}},
      {"§4.5",
       "aws-infrastructure-without-ipv6",
       {.provider = "aws",
        .families = "IPv4, IPv6",
        .infrastructure = "dualStack: {enabled: false}"},
       {.provider = "aws",
        .families = "IPv4, IPv6",
        .infrastructure = "dualStack: {enabled: true}"}},
      {"N8",
       "ip-family-order",
       {.families = "IPv6, IPv4", .networking = ""},
       {.families = "IPv4, IPv6", .networking = ""},
       {}},
      {"N8", "network-families-absent", {.document = kNetwork}, {.document = kNetworkWithFamilies}},
      {"§2.6", "overlay-left-to-admission", {.provider = "aws", .config = ""}, {.provider = "aws"}},
      {"§2.6",
       "overlay-key-absent-live",
       {.provider = "aws", .config = "", .live = true},
       {.provider = "aws", .config = "overlay: {enabled: true}", .live = true}},
      {"§2.6",
       "routed-without-cloud-routes",
       {.provider = "gcp", .config = "backend: none", .live = true},
       {.provider = "gcp", .config = "backend: bird", .live = true},
       {"gcp-other-protocols"}},
      {"§2.6",
       "openstack-silent-migration",
       {.provider = "openstack",
        .config = "",
        .live = true,
        .landscape = {"openstack.calico-overlay=false"}},
       {.provider = "openstack", .config = "", .live = true}},
      {"§2.6",
       "openstack-silent-migration",
       {.provider = "openstack",
        .type = "cilium",
        .config = "",
        .live = true,
        .landscape = {"openstack.cilium-overlay=false"}},
       {.provider = "openstack",
        .type = "cilium",
        .config = "",
        .live = true,
        .landscape = {"openstack.calico-overlay=false"}}},
      {"§1.3",
       "pod-routes-without-effect",
       {.config = "overlay: {enabled: true, createPodRoutes: true}"},
       {.config = "overlay: {enabled: true}"}},
      {"§2.6",
       "snat-forced-off",
       {.provider = "gcp",
        .config = "overlay: {enabled: false}, snatToUpstreamDNS: {enabled: true}"},
       {.provider = "aws",
        .config = "overlay: {enabled: false}, snatToUpstreamDNS: {enabled: true}"},
       {"gcp-other-protocols"}},
      {"§2.6", "provider-not-known", {.provider = "equinix"}, {.provider = "metal"}},
      {"§2.6", "provider-not-known", {.provider = "onmetal"}, {.provider = "awss"}},
      {"§2.6", "provider-misspelt", {.provider = "awss"}, {.provider = "onmetal"}},
  };
  return kRows;
}

}  // namespace overlane::derive::testing

#include "topologies/derive/testing/rule_row.h"

namespace overlane::derive::testing {
namespace {

constexpr const char* kFabricOverlay = "overlay: {enabled: true}";
constexpr const char* kVxlan = "overlay: {enabled: true}, vxlan: {enabled: true}";

}  // namespace

std::span<const RuleRow> fabric_rule_rows() {
  static const RuleRow kRows[] = {
      {"§4.7",
       "ipip-dropped-by-fabric",
       {.provider = "azure", .config = kFabricOverlay, .landscape = {"azure.calico-overlay=true"}},
       {.provider = "azure", .config = kVxlan, .landscape = {"azure.calico-overlay=true"}}},
      {"§4.7",
       "ipip-single-flow",
       {.provider = "aws", .config = kFabricOverlay},
       {.provider = "aws", .config = kVxlan}},
      {"§4.7",
       "alicloud-ipip-by-default-access",
       {.provider = "alicloud", .config = kFabricOverlay},
       {.provider = "alicloud", .config = kVxlan}},
      {"§4.7",
       "gcp-other-protocols",
       {.provider = "gcp"},
       {.provider = "gcp", .config = kFabricOverlay}},
      {"§4.7", "alicloud-closed-ports", {.provider = "alicloud"}, {}, {}},
      {"§4.7",
       "openstack-pod-sources-dropped",
       {.provider = "openstack", .landscape = {"openstack.ovn=true"}},
       {.provider = "openstack", .landscape = {"openstack.ovn=false"}}},
      {"§4.7",
       "openstack-port-security",
       {.provider = "openstack"},
       {.provider = "openstack", .landscape = {"openstack.ovn=false"}}},
      {"§2.4",
       "aws-mtu-customizer",
       {.provider = "aws", .infrastructure = "enableMTUCustomizer: true"},
       {.provider = "aws", .infrastructure = "enableMTUCustomizer: false"}},
      {"§2.4",
       "aws-mtu-customizer-unset",
       {.provider = "aws", .live = true},
       {.provider = "aws", .infrastructure = "enableMTUCustomizer: false", .live = true}},
      {"§1.2",
       "node-local-dns-settings-unused",
       {.spec = "systemComponents: {nodeLocalDNS: {forceTCPToUpstreamDNS: true}}"},
       {.config = kFabricOverlay,
        .spec = "systemComponents: {nodeLocalDNS: {enabled: true, forceTCPToUpstreamDNS: true}}"}},
      {"§6",
       "node-local-dns-with-ipvs",
       {.config = kFabricOverlay,
        .kubernetes = "kubeProxy: {mode: IPVS}",
        .spec = "systemComponents: {nodeLocalDNS: {enabled: true}}"},
       {.config = kFabricOverlay, .spec = "systemComponents: {nodeLocalDNS: {enabled: true}}"}},
  };
  return kRows;
}

}  // namespace overlane::derive::testing

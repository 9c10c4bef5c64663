#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/update/testing/update_rows.h"

namespace overlane::update::testing {
namespace {

using manifest::testing::network_yaml;
using manifest::testing::ShootText;

std::string with_pods(const char* pods) {
  return ShootText{.networking = std::string("pods: ") + pods}.yaml();
}

std::string with_services(const char* services) {
  return ShootText{.networking = std::string("services: ") + services}.yaml();
}

std::string with_families(const char* families) {
  return ShootText{.networking = std::string("ipFamilies: ") + families}.yaml();
}

std::string with_mask(const char* manager) {
  return ShootText{.kubernetes = std::string("{kubeControllerManager: ") + manager + "}"}.yaml();
}

std::string with_max_pods(const char* count) {
  return ShootText{.kubernetes = std::string("{kubelet: {maxPods: ") + count + "}}"}.yaml();
}

/// `yaml` with `text` replaced.
std::string replaced(std::string yaml, const std::string& text, const std::string& by) {
  return yaml.replace(yaml.find(text), text.size(), by);
}

std::string in_deletion(const std::string& yaml) {
  return replaced(yaml, "metadata: {", "metadata: {deletionTimestamp: \"2026-01-01T00:00:00Z\", ");
}

std::string network_with_families(const std::string& families) {
  return network_yaml("calico", "{}") + "  ipFamilies: " + families + "\n";
}

std::string without_networking() {
  return "apiVersion: core.gardener.cloud/v1beta1\n"
         "kind: Shoot\n"
         "metadata: {name: one, namespace: garden-dev}\n"
         "spec: {provider: {type: aws}}\n";
}

std::string in_region(const char* provider, const char* region) {
  return ShootText{.provider = provider}.yaml() + "  region: " + region + "\n";
}

}  // namespace

std::vector<UpdateRow> field_rows() {
  const std::string network = network_yaml("calico", "{}");
  const std::string network_vxlan = network_yaml("calico", "{vxlan: {enabled: true}}");
  return {
      {"spec-changed-in-deletion", true, "N6: a Network in deletion", in_deletion(network),
       in_deletion(network_vxlan)},
      {"spec-changed-in-deletion", true, "N6: a Shoot in deletion",
       in_deletion(with_pods("10.0.0.0/16")), in_deletion(with_services("10.0.0.0/16"))},
      {"spec-changed-in-deletion", false, "N6: in deletion, keys in another order",
       in_deletion(ShootText{.kubernetes = "{version: 1.33.1, kubelet: {maxPods: 64}}"}.yaml()),
       in_deletion(ShootText{.kubernetes = "{kubelet: {maxPods: 64}, version: 1.33.1}"}.yaml())},
      {"spec-changed-in-deletion", false, "N6: a change of the spec without deletion", network,
       network_vxlan},
      {"networking-removed", true, "§1.2: networking is gone", with_pods("10.0.0.0/16"),
       without_networking()},
      {"networking-removed", false, "§1.2: networking stays", with_pods("10.0.0.0/16"),
       with_pods("10.0.0.0/16")},
      {"network-type-changed", true, "N7: calico to cilium", ShootText{}.yaml(),
       ShootText{.type = "cilium"}.yaml()},
      {"network-type-changed", false, "N7: the same type", ShootText{.type = "cilium"}.yaml(),
       ShootText{.type = "cilium", .config = "{tunnel: geneve}"}.yaml()},
      {"pods-changed", true, "N7: another pod range", with_pods("100.96.0.0/11"),
       with_pods("100.64.0.0/11")},
      {"pods-changed", true, "N7: a larger pod range", with_pods("100.96.0.0/12"),
       with_pods("100.96.0.0/11")},
      {"pods-changed", true, "N7: the pod range left out", with_pods("100.96.0.0/12"),
       ShootText{}.yaml()},
      {"pods-changed", true, "N7: another podCIDR", network,
       replaced(network, "100.96.0.0/11", "100.96.0.0/12")},
      {"pods-changed", false, "N7: a pod range where none was", ShootText{}.yaml(),
       with_pods("100.96.0.0/11")},
      {"services-changed", true, "N7: another service range", with_services("100.64.0.0/13"),
       with_services("100.72.0.0/13")},
      {"services-changed", true, "N7: another serviceCIDR", network,
       replaced(network, "100.64.0.0/13", "100.72.0.0/13")},
      {"services-changed", false, "N7: the same service range", with_services("100.64.0.0/13"),
       with_services("100.64.0.0/13")},
      {"families-transition", true, "N8: IPv4 to IPv6", with_families("[IPv4]"),
       with_families("[IPv6]")},
      {"families-transition", true, "N8: IPv6 to dual-stack", with_families("[IPv6]"),
       with_families("[IPv4, IPv6]")},
      {"families-transition", true, "N8: dual-stack in another order",
       with_families("[IPv4, IPv6]"), with_families("[IPv6, IPv4]")},
      {"families-transition", true, "N8: dual-stack to IPv6", with_families("[IPv4, IPv6]"),
       with_families("[IPv6]")},
      {"families-transition", true, "N8: a Network without a list gets [IPv4]", network,
       network_with_families("[IPv4]")},
      {"families-transition", true, "N8: a Network loses its list", network_with_families("[IPv4]"),
       network},
      {"families-transition", false, "N8: a Shoot without a list gets [IPv4]", ShootText{}.yaml(),
       with_families("[IPv4]")},
      {"families-transition", false, "N8: IPv4 to dual-stack", with_families("[IPv4]"),
       with_families("[IPv4, IPv6]")},
      {"families-transition", false, "N8: dual-stack to IPv4", with_families("[IPv4, IPv6]"),
       with_families("[IPv4]")},
      {"node-mask-changed", true, "§1.2: 24 to 25", with_mask("{nodeCIDRMaskSize: 24}"),
       with_mask("{nodeCIDRMaskSize: 25}")},
      {"node-mask-changed", true, "§1.2: a derived 24 to 23", ShootText{}.yaml(),
       with_mask("{nodeCIDRMaskSize: 23}")},
      {"node-mask-changed", true, "§1.2: derived, and maxPods goes up", ShootText{}.yaml(),
       with_max_pods("250")},
      {"node-mask-changed", false, "§1.2: what was derived is written", ShootText{}.yaml(),
       with_mask("{nodeCIDRMaskSize: 24}")},
      {"node-mask-changed", false, "§1.2: maxPods goes up within the mask", ShootText{}.yaml(),
       with_max_pods("120")},
      {"node-mask-ipv6-changed", true, "§1.2: 64 to 80", with_mask("{nodeCIDRMaskSizeIPv6: 64}"),
       with_mask("{nodeCIDRMaskSizeIPv6: 80}")},
      {"node-mask-ipv6-changed", false, "§1.2: added once", with_mask("{nodeCIDRMaskSize: 24}"),
       with_mask("{nodeCIDRMaskSize: 24, nodeCIDRMaskSizeIPv6: 80}")},
      {"provider-changed", true, "§1.2: another provider", in_region("aws", "a"),
       in_region("gcp", "a")},
      {"provider-changed", true, "§1.2: another region", in_region("aws", "a"),
       in_region("aws", "b")},
      {"provider-changed", false, "§1.2: both stay", in_region("aws", "a"), in_region("aws", "a")},
  };
}

}  // namespace overlane::update::testing

#include "topologies/update/testing/update_rows.h"

#include "topologies/manifest/testing/shoot_builder.h"

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

/// `yaml` with its first `text` replaced by `by`.
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

namespace {

std::string shoot(const char* provider, const std::string& infrastructure) {
  return ShootText{.provider = provider, .infrastructure = infrastructure}.yaml();
}

/// A shoot whose infrastructureConfig has these `networks`, the inside of a flow mapping.
std::string on(const char* provider, const char* networks) {
  return shoot(provider, std::string("{networks: {") + networks + "}}");
}

std::string routed_calico(const char* provider, const char* networks) {
  return ShootText{.provider = provider,
                   .infrastructure = std::string("{networks: {") + networks + "}}",
                   .config = "{overlay: {enabled: false}}"}
      .yaml();
}

constexpr const char* kZoneA = "{name: a, workers: 10.250.0.0/19}";

std::string zones(const std::string& list) {
  return on("aws", ("vpc: {cidr: 10.250.0.0/16}, zones: [" + list + "]").c_str());
}

}  // namespace

std::vector<UpdateRow> infrastructure_rows() {
  const std::string zone_a = kZoneA;
  return {
      {"vpc-changed", true, "§3.3: another VPC on aws", on("aws", "vpc: {id: vpc-1}"),
       on("aws", "vpc: {id: vpc-2}")},
      {"vpc-changed", true, "§3.3: into an existing VPC on alicloud",
       on("alicloud", "vpc: {cidr: 10.250.0.0/16}"), on("alicloud", "vpc: {id: vpc-2}")},
      {"vpc-changed", false, "§3.3: the same VPC", on("aws", "vpc: {id: vpc-1}"),
       on("aws", "vpc: {id: vpc-1, gatewayEndpoints: [s3]}")},
      {"zones-changed", true, "§3.3: a zone removed", zones(zone_a + ", {name: b}"), zones(zone_a)},
      {"zones-changed", true, "§3.3: a zone's subnet changed", zones(zone_a),
       zones("{name: a, workers: 10.250.32.0/19}")},
      {"zones-changed", false, "§3.3: a zone added", zones(zone_a),
       zones(zone_a + ", {name: b, workers: 10.250.32.0/19}")},
      {"vnet-shrunk", true, "§3.3: a smaller vnet",
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/8}"),
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/9}")},
      {"vnet-shrunk", false, "§3.3: a larger vnet",
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/9}"),
       routed_calico("azure", "vnet: {cidr: 10.0.0.0/8}")},
      {"workers-subnet-shrunk", true, "§3.3: fewer addresses for workers",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.250.0.0/17")},
      {"workers-subnet-shrunk", true, "§3.3: other addresses for workers",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.240.0.0/15")},
      {"workers-subnet-shrunk", false, "§3.3: more addresses for workers",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.250.0.0/15")},
      {"network-mtu-changed", true, "§3.3: a larger MTU",
       on("gcp", "workers: 10.250.0.0/16, mtu: 1460"),
       on("gcp", "workers: 10.250.0.0/16, mtu: 8896")},
      {"network-mtu-changed", true, "§3.3: an MTU where none was",
       on("gcp", "workers: 10.250.0.0/16"), on("gcp", "workers: 10.250.0.0/16, mtu: 8896")},
      {"network-mtu-changed", false, "§3.3: the same MTU",
       on("gcp", "workers: 10.250.0.0/16, mtu: 1460"),
       on("gcp", "workers: 10.250.0.0/15, mtu: 1460")},
      {"openstack-networks-changed", true, "§3.3: another router",
       on("openstack", "workers: 10.250.0.0/16, router: {id: one}"),
       on("openstack", "workers: 10.250.0.0/16, router: {id: two}")},
      {"openstack-networks-changed", true, "§3.3: a larger subnet",
       on("openstack", "workers: 10.250.0.0/16"), on("openstack", "workers: 10.250.0.0/15")},
      {"openstack-networks-changed", true, "§3.3: another floating pool",
       shoot("openstack", "{floatingPoolName: one}"),
       shoot("openstack", "{floatingPoolName: two}")},
      {"openstack-networks-changed", false, "§3.3: the subnet under its new name",
       on("openstack", "worker: 10.250.0.0/16"), on("openstack", "workers: 10.250.0.0/16")},
      {"route-table-changed", true, "§1.6: a table of its own later",
       on("alicloud", "vpc: {id: vpc-1}"),
       on("alicloud", "vpc: {id: vpc-1, useCustomRouteTable: true}")},
      {"route-table-changed", false, "§1.6: the default is written",
       on("alicloud", "vpc: {id: vpc-1}"),
       on("alicloud", "vpc: {id: vpc-1, useCustomRouteTable: false}")},
  };
}

namespace {

std::string calico(const char* config, const char* provider = "aws") {
  return ShootText{.provider = provider, .config = config}.yaml();
}

std::string cilium(const char* config, const char* provider = "aws") {
  return ShootText{.provider = provider, .type = "cilium", .config = config}.yaml();
}

std::string of_version(const char* config, const char* kubernetes) {
  return ShootText{.config = config, .kubernetes = kubernetes}.yaml();
}

std::string with_families(const char* provider, const char* config, const char* families) {
  return ShootText{.provider = provider,
                   .config = config,
                   .networking = std::string("nodes: 10.250.0.0/16\n    ipFamilies: ") + families}
      .yaml();
}

std::string with_proxy(const char* config, const char* proxy) {
  return ShootText{.config = config, .kubernetes = std::string("{kubeProxy: ") + proxy + "}"}
      .yaml();
}

std::string live(const std::string& yaml) {
  return yaml + "status: {technicalID: shoot--dev--one}\n";
}

derive::DeriveOptions routed_landscape() {
  derive::DeriveOptions options;
  options.landscape.openstack_calico_overlay = false;
  return options;
}

derive::DeriveOptions seamless_landscape() {
  derive::DeriveOptions options;
  options.landscape.calico_seamless_switch = true;
  return options;
}

constexpr const char* kOn = "{overlay: {enabled: true}}";
constexpr const char* kOff = "{overlay: {enabled: false}}";
constexpr const char* kVxlan = "{overlay: {enabled: true}, vxlan: {enabled: true}}";
constexpr const char* kEbpf = "{overlay: {enabled: false}, ebpfDataplane: {enabled: true}}";
constexpr const char* kAlphaPolicy =
    "{version: 1.33.2, kubeAPIServer: {featureGates: {MutatingAdmissionPolicy: true}, "
    "runtimeConfig: {admissionregistration.k8s.io/v1alpha1: true}}}";

}  // namespace

std::vector<UpdateRow> switch_rows() {
  return {
      {"overlay-key-removed", true, "§2.6: aws puts it back", calico(kOn), calico("{}")},
      {"overlay-key-removed", true, "§2.6: azure puts cilium's back", cilium(kOn, "azure"),
       cilium("{}", "azure")},
      {"overlay-key-removed", false, "§2.6: azure leaves calico alone", calico(kOff, "azure"),
       calico("{}", "azure")},
      {"overlay-key-removed", false, "§2.6: the key stays", calico(kOn), calico(kOff)},
      {"silent-overlay-off", true, "§2.6: a live shoot on openstack",
       live(calico("{}", "openstack")), calico("{typha: {enabled: false}}", "openstack"),
       routed_landscape()},
      {"silent-overlay-off", false, "§2.6: the same with the landscape's usual default",
       live(calico("{}", "openstack")), calico("{typha: {enabled: false}}", "openstack")},
      {"silent-overlay-off", false, "§2.6: an update that changes nothing",
       live(calico("{}", "openstack")), calico("{}", "openstack"), routed_landscape()},
      {"silent-overlay-off", false, "§2.6: with the key", live(calico("{}", "openstack")),
       calico(kOn, "openstack"), routed_landscape()},
      {"overlay-off-loses-packets", true, "§5.1: IPIP to routed", calico(kOn), calico(kOff)},
      {"overlay-off-loses-packets", true, "§5.1: the key's default was IPIP", live(calico("{}")),
       calico(kOff)},
      {"overlay-off-loses-packets", true, "§2.6: switched off without being asked",
       live(calico("{}", "openstack")), calico("{typha: {enabled: false}}", "openstack"),
       routed_landscape()},
      {"overlay-off-loses-packets", false, "§5.1: routed before and after", calico("{}"),
       calico(kOff)},
      {"overlay-off-loses-packets", false, "§2.6: the key is removed and comes back", calico(kOn),
       calico("{}")},
      {"overlay-off-loses-packets", true, "§5.3: Kubernetes 1.32 has no admission policies",
       of_version(kOn, "{version: 1.32.1}"), of_version(kOff, "{version: 1.32.1}"),
       seamless_landscape()},
      {"overlay-off-loses-packets", true, "§5.3: Kubernetes 1.36 without the landscape's gate",
       of_version(kOn, "{version: 1.36.0}"), of_version(kOff, "{version: 1.36.0}")},
      {"overlay-off-loses-packets", false, "§5.3: Kubernetes 1.36",
       of_version(kOn, "{version: 1.36.0}"), of_version(kOff, "{version: 1.36.0}"),
       seamless_landscape()},
      {"overlay-off-loses-packets", false, "§5.3: Kubernetes 1.33 with gate and API",
       of_version(kOn, kAlphaPolicy), of_version(kOff, kAlphaPolicy), seamless_landscape()},
      {"stale-cloud-routes", true, "§5.2: routed to IPIP on aws", calico(kOff), calico(kOn)},
      {"stale-cloud-routes", true, "§5.2: native to tunnel on gcp", cilium(kOff, "gcp"),
       cilium(kOn, "gcp")},
      {"stale-cloud-routes", false, "§4.1: alicloud's controller goes on", calico(kOff, "alicloud"),
       calico(kOn, "alicloud")},
      {"stale-cloud-routes", false, "§5.2: IPIP to routed", calico(kOn), calico(kOff)},
      {"pod-mtu-shrinks", true, "§5.2: routed to IPIP", calico(kOff), calico(kOn)},
      {"pod-mtu-shrinks", true, "§5.5: IPIP to VXLAN", calico(kOn), calico(kVxlan)},
      {"pod-mtu-shrinks", false, "§5.1: IPIP to routed", calico(kOn), calico(kOff)},
      {"tunnel-changed", true, "§5.5: IPIP to VXLAN", calico(kOn), calico(kVxlan)},
      {"tunnel-changed", true, "§5.5: VXLAN to IPIP", calico(kVxlan), calico(kOn)},
      {"tunnel-changed", false, "§5.5: cilium's tunnels", cilium("{tunnel: vxlan}"),
       cilium("{tunnel: geneve}")},
      {"nodes-see-pod-addresses", true, "§5.1: IPIP to routed", calico(kOn), calico(kOff)},
      {"nodes-see-pod-addresses", false, "§5.2: routed to IPIP", calico(kOff), calico(kOn)},
      {"cilium-rolls-late", true, "§2.5: VXLAN to Geneve",
       cilium("{overlay: {enabled: true}, tunnel: vxlan}"),
       cilium("{overlay: {enabled: true}, tunnel: geneve}")},
      {"cilium-rolls-late", false, "§2.5: hubble", cilium(kOn),
       cilium("{overlay: {enabled: true}, hubble: {enabled: true}}")},
      {"dual-stack-from-overlay", true, "§5.7: both in one step",
       with_families("gcp", kOn, "[IPv4]"), with_families("gcp", kOff, "[IPv4, IPv6]")},
      {"dual-stack-from-overlay", false, "§5.7: routed before",
       with_families("gcp", kOff, "[IPv4]"), with_families("gcp", kOff, "[IPv4, IPv6]")},
      {"dual-stack-rolls-nodes", true, "§5.7: IPv6 is added", with_families("aws", kOff, "[IPv4]"),
       with_families("aws", kOff, "[IPv4, IPv6]")},
      {"dual-stack-rolls-nodes", false, "§5.7: dual-stack before and after",
       with_families("aws", kOff, "[IPv4, IPv6]"), with_families("aws", kOff, "[IPv4, IPv6]")},
      {"dual-stack-outage-on-gcp", true, "§5.7: on gcp", with_families("gcp", kOff, "[IPv4]"),
       with_families("gcp", kOff, "[IPv4, IPv6]")},
      {"dual-stack-outage-on-gcp", false, "§5.7: on aws", with_families("aws", kOff, "[IPv4]"),
       with_families("aws", kOff, "[IPv4, IPv6]")},
      {"single-stack-rolls-nodes", true, "§5.7: IPv6 is taken away",
       with_families("aws", kOff, "[IPv4, IPv6]"), with_families("aws", kOff, "[IPv4]")},
      {"single-stack-rolls-nodes", false, "§5.7: IPv6 is added",
       with_families("aws", kOff, "[IPv4]"), with_families("aws", kOff, "[IPv4, IPv6]")},
      {"service-routing-changed", true, "§5.6: to eBPF", calico(kOff), calico(kEbpf)},
      {"service-routing-changed", true, "§5.6: back to kube-proxy", calico(kEbpf), calico(kOff)},
      {"service-routing-changed", false, "§5.6: another mode of kube-proxy",
       with_proxy(kOff, "{mode: IPTables}"), with_proxy(kOff, "{mode: IPVS}")},
      {"service-routing-changed", false, "§2.6: cilium took kube-proxy's place at creation",
       cilium(kOff), cilium("{overlay: {enabled: false}, hubble: {enabled: true}}")},
      {"kube-proxy-mode-changed", true, "§5.6: iptables to IPVS",
       with_proxy(kOff, "{mode: IPTables}"), with_proxy(kOff, "{mode: IPVS}")},
      {"kube-proxy-mode-changed", false, "§5.6: the default is written",
       with_proxy(kOff, "{enabled: true}"), with_proxy(kOff, "{mode: IPTables}")},
  };
}

}  // namespace overlane::update::testing

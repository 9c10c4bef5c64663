#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/update/testing/update_rows.h"

namespace overlane::update::testing {
namespace {

using manifest::testing::ShootText;

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

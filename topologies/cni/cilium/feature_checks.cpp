#include "topologies/cni/cilium/dataplane.h"
#include "topologies/cni/cilium/kube_proxy.h"
#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/cni/cilium/sources.h"

namespace overlane::cilium {
namespace {

using effective::Stage;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool has_egress_gateway(const CheckInputs& in) {
  return in.config.egress_gateway && in.config.egress_gateway->value;
}

void check_egress_overlay(const CheckInputs& in, RuleReport& report) {
  if (has_egress_gateway(in) && !is_tunnelled(in.config, in.shoot))
    report.add(*in.config.egress_gateway, "egressGateway is on, but there is no tunnel");
}

void check_egress_kube_proxy(const CheckInputs& in, RuleReport& report) {
  if (has_egress_gateway(in) && !replaces_kube_proxy(in.shoot))
    report.add(*in.config.egress_gateway, "egressGateway is on, but so is kube-proxy");
}

void check_dsr(const CheckInputs& in, RuleReport& report) {
  if (lacks_native_cidr_for_dsr(in.config, in.shoot) && in.shoot.stage == Stage::Create)
    report.add(*in.config.load_balancing_mode, "loadBalancingMode dsr has no native routing CIDR");
}

void check_ipvs(const CheckInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  const auto& dns = shoot.node_local_dns.enabled;
  if (!replaces_kube_proxy(in.shoot) && dns && dns->value && shoot.kube_proxy_mode &&
      shoot.kube_proxy_mode->value == "IPVS")
    report.add(*shoot.kube_proxy_mode,
               "kube-proxy runs in the mode IPVS together with NodeLocalDNS");
}

void check_strict(const CheckInputs& in, RuleReport& report) {
  const EncryptionConfig& encryption = in.config.encryption;
  if (encryption.enabled && encryption.enabled->value && encryption.strict &&
      encryption.strict->value && !encryption.mode)
    report.add(*encryption.strict, "strictMode is on, but encryption.mode is not given");
}

constexpr Check<CheckInputs> kFeatureChecks[] = {
    {{.id = "egress-gateway-without-overlay",
      .section = "§6",
      .enforcer = Enforcer::Reconcile,
      .title = "Cilium's egress gateway is enabled without an overlay.",
      .why = "Rendering fails where the tunnel is off: packets reach the gateway node only inside "
             "one.",
      .remedy = "set overlay.enabled: true, or remove egressGateway",
      .source = kCharts},
     check_egress_overlay},
    {{.id = "egress-gateway-with-kube-proxy",
      .section = "§6",
      .enforcer = Enforcer::Reconcile,
      .title = "Cilium's egress gateway is combined with kube-proxy.",
      .why = "Rendering fails where kube-proxy is on: the gateway needs Cilium's own translation "
             "of services.",
      .remedy = "set kubeProxy.enabled: false, or remove egressGateway",
      .source = kCharts},
     check_egress_kube_proxy},
    {{.id = "dsr-without-native-routing-cidr",
      .section = "§2.5",
      .enforcer = Enforcer::Reconcile,
      .title = "loadBalancingMode: dsr without a native routing CIDR.",
      .why = "Rendering fails without one. With the key overlay.enabled there is one exactly where "
             "the overlay is off, otherwise where ipv4NativeRoutingCIDREnabled is true.",
      .remedy = "set overlay.enabled: false, or use loadBalancingMode: snat",
      .source = kCharts},
     check_dsr},
    {{.id = "cilium-node-local-dns-with-ipvs",
      .section = "§6",
      .title = "Cilium is combined with kube-proxy's mode IPVS and NodeLocalDNS.",
      .why = "The extension's admission refuses a shoot that has kube-proxy, IPVS and "
             "NodeLocalDNS.",
      .remedy = "use kubeProxy.mode: IPTables, or kubeProxy.enabled: false",
      .source = "gardener-extension-networking-cilium pkg/apis/cilium/validation/shoot.go"},
     check_ipvs},
    {{.id = "strict-mode-without-wireguard",
      .section = "§1.4",
      .title = "encryption.strictMode is set without encryption.mode: wireguard.",
      .why = "The extension's validation refuses strict mode with any other mode and without one.",
      .remedy = "write encryption.mode: wireguard",
      .source = "gardener-extension-networking-cilium pkg/apis/cilium/validation/"
                "networkconfig.go"},
     check_strict},
};

}  // namespace

std::span<const Check<CheckInputs>> feature_checks() {
  return kFeatureChecks;
}

}  // namespace overlane::cilium

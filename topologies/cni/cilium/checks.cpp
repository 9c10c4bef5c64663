#include <algorithm>

#include <fmt/format.h>

#include "topologies/cni/cilium/cilium.h"
#include "topologies/cni/cilium/config.h"
#include "topologies/cni/cilium/dataplane.h"

// Rules about shoots that the admission or the reconciliation of networking-cilium refuses.
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

void check_port(const CheckInputs& in, RuleReport& report) {
  constexpr std::int64_t kMax = 65'535;
  const auto& port = in.config.api_server_port;
  if (port && (port->value < 1 || port->value > kMax))
    report.add(*port, fmt::format("{} must lie between 1 and {}", port->path, kMax));
}

void check_ipv6_pods(const CheckInputs& in, RuleReport& report) {
  const auto& pods = in.shoot.spec.shoot.status_pods;
  const auto is_ipv6 = [](const auto& range) { return !range.value.is_ipv4(); };
  if (in.shoot.stage == Stage::Live && in.shoot.overlay.enabled == false &&
      in.shoot.families.has(Family::Ipv6) && !pods.empty() && std::ranges::none_of(pods, is_ipv6))
    report.add(pods.front(), "the status names no IPv6 range of pods, which native routing needs");
}

void check_api_server(const CheckInputs& in, RuleReport& report) {
  const auto& addresses = in.shoot.spec.shoot.advertised_addresses;
  const auto is_external = [](const auto& name) { return name.value == "external"; };
  if (replaces_kube_proxy(in.shoot) && !gives_api_server(in.config) && !addresses.empty() &&
      std::ranges::none_of(addresses, is_external))
    report.add(addresses.front(),
               "none of the shoot's advertised addresses has the name external, which agents need "
               "to reach the API server without kube-proxy");
}

constexpr Check<CheckInputs> kChecks[] = {
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
    {{.id = "cilium-api-server-port",
      .section = "§1.4",
      .title = "kubeproxy.k8sServicePort is not a port number.",
      .why = "The extension's validation refuses numbers outside 1 to 65535.",
      .remedy = "write the port of the API server, such as 443",
      .source = "gardener-extension-networking-cilium pkg/apis/cilium/validation/"
                "networkconfig.go"},
     check_port},
    {{.id = "cilium-ipv6-pods-missing",
      .section = "§2.5",
      .enforcer = Enforcer::Reconcile,
      .title = "A routed IPv6 shoot has no IPv6 pod range in its status.",
      .why = "The chart takes the IPv6 native routing CIDR from there, and fails without one.",
      .remedy = "wait until the infrastructure has reported its ranges",
      .source = "gardener-extension-networking-cilium pkg/charts/utils.go"},
     check_ipv6_pods},
    {{.id = "cilium-external-address-missing",
      .section = "§6",
      .enforcer = Enforcer::Reconcile,
      .title = "A shoot without kube-proxy has no external address of its API server.",
      .why = "Without kube-proxy the chart needs the API server's address: both fields of "
             "kubeproxy, otherwise the advertised address with the name external. Rendering fails "
             "without either.",
      .remedy = "give kubeproxy.k8sServiceHost and k8sServicePort",
      .source = "gardener-extension-networking-cilium pkg/charts/utils.go"},
     check_api_server},
};

}  // namespace

std::span<const Check<CheckInputs>> checks() {
  return kChecks;
}

}  // namespace overlane::cilium

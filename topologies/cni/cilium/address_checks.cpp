#include <algorithm>

#include <fmt/format.h>

#include "topologies/cni/cilium/kube_proxy.h"
#include "topologies/cni/cilium/rule_tables.h"

namespace overlane::cilium {
namespace {

using effective::Stage;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

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

constexpr Check<CheckInputs> kAddressChecks[] = {
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

std::span<const Check<CheckInputs>> address_checks() {
  return kAddressChecks;
}

}  // namespace overlane::cilium

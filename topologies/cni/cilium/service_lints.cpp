#include <fmt/format.h>

#include "topologies/cni/cilium/kube_proxy.h"
#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/cni/cilium/sources.h"

namespace overlane::cilium {
namespace {

using effective::Stage;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_forced_off(const LintInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.kube_proxy_enabled;
  if (in.shoot.stage == Stage::Create && enabled && enabled->value)
    report.add(*enabled, "admission disables kube-proxy in every new cilium shoot");
}

void check_half_address(const LintInputs& in, RuleReport& report) {
  const auto& host = in.config.api_server_host;
  const auto& port = in.config.api_server_port;
  if (host && !port) report.add(*host, fmt::format("{} has no effect without a port", host->path));
  if (port && !host) report.add(*port, fmt::format("{} has no effect without a host", port->path));
}

void check_external_address(const LintInputs& in, RuleReport& report) {
  if (replaces_kube_proxy(in.shoot) && !gives_api_server(in.config) &&
      in.shoot.spec.shoot.advertised_addresses.empty())
    report.add(
        "without kube-proxy, agents reach the API server by the shoot's advertised address "
        "\"external\"");
}

void check_announcements(const LintInputs& in, RuleReport& report) {
  if (in.config.l2_announcements && in.config.l2_announcements->value &&
      !replaces_kube_proxy(in.shoot))
    report.add(*in.config.l2_announcements, "l2Announcements is on, but so is kube-proxy");
}

void check_mode(const LintInputs& in, RuleReport& report) {
  const auto& mode = in.config.load_balancing_mode;
  if (mode && mode->value != "snat" && !replaces_kube_proxy(in.shoot))
    report.add(*mode, fmt::format("loadBalancingMode {} has no effect while kube-proxy is on",
                                  mode->value));
}

constexpr Check<LintInputs> kServiceLints[] = {
    {{.id = "kube-proxy-forced-off",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A new cilium shoot asks for kube-proxy, which admission disables.",
      .why = "The extension's admission writes kubeProxy.enabled: false into every new shoot, "
             "regardless of the manifest. It can be enabled later.",
      .remedy = "remove kubeProxy.enabled, or enable it after the shoot was created",
      .source = "gardener-extension-networking-cilium pkg/admission/mutator/shoot.go"},
     check_forced_off},
    {{.id = "cilium-half-api-server-address",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Only one of k8sServiceHost and k8sServicePort is given.",
      .why = "The chart uses them only if both are given; otherwise it uses the shoot's advertised "
             "address.",
      .remedy = "give both, or neither",
      .source = kCharts},
     check_half_address},
    {{.id = "cilium-needs-external-address",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Without kube-proxy, cilium has no known address of the API server.",
      .why = "The address comes from kubeproxy.k8sServiceHost and k8sServicePort, otherwise from "
             "the shoot's advertised address with the name external in its status. Without one, "
             "reconciliation fails.",
      .remedy = "give both fields where the shoot has no external address",
      .source = kCharts},
     check_external_address},
    {{.id = "l2-announcements-with-kube-proxy",
      .section = "§1.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "l2Announcements is enabled although kube-proxy runs.",
      .why = "Cilium announces addresses of services that it translates itself; with kube-proxy it "
             "translates none.",
      .remedy = "set kubeProxy.enabled: false, or remove l2Announcements",
      .source = "Cilium documentation, L2 announcements"},
     check_announcements},
    {{.id = "load-balancing-with-kube-proxy",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "loadBalancingMode is set although kube-proxy runs.",
      .why = "While kube-proxy is on, it handles services from outside and translates the source "
             "address.",
      .remedy = "set kubeProxy.enabled: false, or remove loadBalancingMode",
      .source = kCharts},
     check_mode},
};

}  // namespace

std::span<const Check<LintInputs>> service_lints() {
  return kServiceLints;
}

}  // namespace overlane::cilium

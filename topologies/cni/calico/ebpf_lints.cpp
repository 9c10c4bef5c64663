#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/cni/calico/sources.h"

namespace overlane::calico {
namespace {

using effective::Provider;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool is_ebpf(const LintInputs& in) {
  return in.config.ebpf && in.config.ebpf->value;
}

bool has_kube_proxy(const LintInputs& in) {
  const auto& enabled = in.shoot.spec.shoot.kube_proxy_enabled;
  return !enabled || enabled->value;
}

void check_without_kube_proxy(const LintInputs& in, RuleReport& report) {
  const auto& reconciled = in.shoot.landscape.calico_ebpf_without_kube_proxy;
  if (!is_ebpf(in) || has_kube_proxy(in) || reconciled == true) return;
  const char* const message =
      "eBPF without kube-proxy cannot be reconciled by releases of the extension from v1.59 on, "
      "while kubeProxy.mode is set, which Gardener always does";
  if (reconciled)
    report.add(*in.config.ebpf, message);
  else
    report.add_assumed(*in.config.ebpf, message);
}

void check_azure(const LintInputs& in, RuleReport& report) {
  const std::string_view breaks = in.shoot.provider.machines.breaks_ebpf;
  if (is_ebpf(in) && !breaks.empty()) report.add(*in.config.ebpf, std::string(breaks));
}

void check_overlay(const LintInputs& in, RuleReport& report) {
  if (is_ebpf(in) && in.dataplane.dataplane.mode == effective::Mode::Overlay)
    report.add(*in.config.ebpf, "eBPF is recommended without an overlay");
}

void lint_kube_proxy(const LintInputs& in, RuleReport& report) {
  if (is_ebpf(in) && has_kube_proxy(in))
    report.add(*in.config.ebpf, "kube-proxy runs although the eBPF dataplane replaces it");
}

void check_non_privileged(const LintInputs& in, RuleReport& report) {
  if (is_ebpf(in) && in.shoot.landscape.calico_non_privileged)
    report.add(
        *in.config.ebpf,
        "the landscape runs calico-node without privileges, but eBPF makes it privileged again");
}

/// The release whose Felix answers kube-proxy's health port (projectcalico/calico pull request
/// 10947, September 2025).
constexpr effective::CalicoVersion kAnswersHealthChecks{3, 32};

void check_health(const LintInputs& in, RuleReport& report) {
  const effective::CalicoVersion version =
      in.shoot.landscape.calico_version.value_or(effective::kShippedCalico);
  if (is_ebpf(in) && !has_kube_proxy(in) && version < kAnswersHealthChecks)
    report.add(
        *in.config.ebpf,
        fmt::format("nothing on the nodes answers kube-proxy's health port 10256 with Calico "
                    "{}: load balancers that check it send no traffic to any node",
                    to_string(version)));
}

constexpr Check<LintInputs> kEbpfLints[] = {
    {{.id = "ebpf-without-kube-proxy",
      .section = "§6",
      .severity = Severity::Error,
      .enforcer = Enforcer::Reconcile,
      .title = "Calico's eBPF dataplane runs without kube-proxy in an affected release.",
      .why = "With kube-proxy disabled and its mode set, rendering fails from v1.59 on, and "
             "Gardener's defaults always set the mode: the Network is never reconciled. The "
             "landscape setting calico.ebpf-without-kube-proxy states which release runs.",
      .remedy = "leave kube-proxy enabled, or pass --set "
                "landscape.calico.ebpf-without-kube-proxy=true where it works",
      .source = "gardener-extension-networking-calico issue 918"},
     check_without_kube_proxy},
    {{.id = "ebpf-on-azure",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Calico's eBPF dataplane attaches to Azure's accelerated interfaces.",
      .why = "Accelerated networking shows each card as a second interface enP*. Programs that "
             "Felix attaches there break the node's network.",
      .remedy = "limit bpfDataIfacePattern in the FelixConfiguration to eth*",
      .source = kUsage},
     check_azure},
    {{.id = "ebpf-with-overlay",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Calico's eBPF dataplane is combined with an overlay.",
      .why = "The extension's documents recommend it: inside a tunnel, encapsulation costs much of "
             "what eBPF saves.",
      .remedy = "set overlay.enabled: false",
      .source = kUsage},
     check_overlay},
    {{.id = "ebpf-beside-kube-proxy",
      .section = "§6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Calico's eBPF dataplane and kube-proxy both run.",
      .why = "Both together work, with Felix's health port moved to 10257, but kube-proxy keeps "
             "writing rules that have no effect.",
      .remedy = "set kubeProxy.enabled: false where the extension's release allows it",
      .source = "gardener-extension-networking-calico pkg/charts/utils.go"},
     lint_kube_proxy},
    {{.id = "ebpf-load-balancer-health",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Load balancers find no healthy node without kube-proxy.",
      .why = "Cloud controllers configure health checks of kube-proxy's port 10256, on gcp for "
             "every internal load balancer. Without kube-proxy, Felix's eBPF dataplane has to "
             "answer there, and does not before Calico 3.32.",
      .remedy = "leave kube-proxy enabled, or use Calico 3.32 or newer",
      .source = "projectcalico/calico issue 10748"},
     check_health},
    {{.id = "ebpf-non-privileged",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Calico's eBPF dataplane is combined with a non-privileged calico-node.",
      .why = "The landscape's feature gate NonPrivilegedCalicoNode cannot be used with eBPF: the "
             "chart leaves calico-node privileged in such a shoot, contrary to the gate's purpose.",
      .remedy = "remove ebpfDataplane, or ask the operator about the feature gate",
      .source = "gardener-extension-networking-calico docs/operations/operations.md"},
     check_non_privileged},
};

}  // namespace

std::span<const Check<LintInputs>> ebpf_lints() {
  return kEbpfLints;
}

}  // namespace overlane::calico

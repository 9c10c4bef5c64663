#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/calico/config.h"
#include "topologies/cni/calico/dataplane.h"
#include "topologies/rules/lint_conditions.h"

namespace overlane::calico {

namespace {

using effective::Backend;
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

void check_health(const LintInputs& in, RuleReport& report) {
  const effective::CalicoVersion version =
      in.shoot.landscape.calico_version.value_or(kShippedCalico);
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

bool has_autoscaler(const LintInputs& in) {
  const auto& autoscaler = in.shoot.spec.shoot.vertical_pod_autoscaler;
  return autoscaler && autoscaler->value;
}

void check_vpa(const LintInputs& in, RuleReport& report) {
  const auto& mode = in.config.auto_scaling_mode;
  if (mode && mode->value == "vpa" && !has_autoscaler(in))
    report.add(*mode, "autoScaling.mode is vpa, but the shoot has no vertical pod autoscaler");
}

void check_resources(const LintInputs& in, RuleReport& report) {
  const auto& mode = in.config.auto_scaling_mode;
  const bool counts =
      mode && (mode->value == "static" || (mode->value == "vpa" && has_autoscaler(in)));
  if (in.config.auto_scaling_resources && !counts)
    report.add(*in.config.auto_scaling_resources,
               fmt::format("{} has no effect in the mode cluster-proportional or without a "
                           "vertical pod autoscaler",
                           in.config.auto_scaling_resources->path));
}

/// Largest number of nodes without Typha: every node then has its own watch on the API server
/// (Tigera's documentation).
constexpr std::int64_t kNodesWithoutTypha = 50;

void check_typha(const LintInputs& in, RuleReport& report) {
  const std::int64_t nodes = rules::count_nodes(in.shoot.spec.shoot).maximum;
  if (in.config.typha && !in.config.typha->value && nodes > kNodesWithoutTypha)
    report.add(*in.config.typha,
               fmt::format("Typha is off, while the workers may grow to {} nodes", nodes));
}

void check_exporter(const LintInputs& in, RuleReport& report) {
  if (in.config.bird_exporter && in.config.bird_exporter->value &&
      in.dataplane.dataplane.backend != Backend::Bird)
    report.add(*in.config.bird_exporter, "birdExporter is on, but BIRD does not run");
}

void check_loop_prevention(const LintInputs& in, RuleReport& report) {
  const auto& prevention = in.config.service_loop_prevention;
  if (prevention && prevention->value == "Disabled")
    report.add(*prevention,
               "packets to unused service addresses may loop between a node and the network");
}

bool has_multus(const LintInputs& in) {
  return in.config.multus && in.config.multus->value;
}

void check_multus(const LintInputs& in, RuleReport& report) {
  if (has_multus(in))
    report.add(*in.config.multus,
               "pods may have additional interfaces, which Overlane does not model");
}

void check_multus_plugins(const LintInputs& in, RuleReport& report) {
  if (in.config.multus_plugins && in.config.multus_plugins->value && !has_multus(in))
    report.add(*in.config.multus_plugins, "installCNIPlugins has no effect without multus");
}

constexpr Check<LintInputs> kComponentLints[] = {
    {{.id = "vpa-without-vpa",
      .section = "§1.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "autoScaling.mode vpa is set without a vertical pod autoscaler.",
      .why = "Without kubernetes.verticalPodAutoscaler.enabled the objects that the mode creates "
             "have no effect: calico-node and Typha keep their initial resources.",
      .remedy = "enable the vertical pod autoscaler, or use cluster-proportional",
      .source = kUsage},
     check_vpa},
    {{.id = "resources-outside-static",
      .section = "§1.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "autoScaling.resources is set without the mode static.",
      .why = "The mode static applies them, and vpa, with a vertical pod autoscaler, starts with "
             "them. The mode cluster-proportional, the default, ignores them.",
      .remedy = "set autoScaling.mode: static, or remove the resources",
      .source = kUsage},
     check_resources},
    {{.id = "typha-off",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A shoot that may exceed 50 nodes has no Typha.",
      .why = "Without it every calico-node has its own watch on the API server, whose load grows "
             "with each node.",
      .remedy = "remove typha.enabled: false",
      .source = "Calico documentation, Typha"},
     check_typha},
    {{.id = "bird-exporter-without-bird",
      .section = "§1.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "birdExporter is enabled with a backend that does not run BIRD.",
      .why =
          "The exporter reads BIRD's state. Without an overlay, and with VXLAN, BIRD does not run.",
      .remedy = "remove birdExporter",
      .source = kUsage},
     check_exporter},
    {{.id = "service-loop-prevention-off",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Felix does not stop packets to nonexistent services from looping.",
      .why = "Without it such a packet leaves a node by the default route, and a network that "
             "routes services to nodes sends it back until its hop limit expires.",
      .remedy = "use Drop or Reject",
      .source = "Calico documentation, FelixConfiguration serviceLoopPrevention"},
     check_loop_prevention},
    {{.id = "multus-further-networks",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Overlane does not model further networks of pods (Multus).",
      .why = "Multus adds pod interfaces by objects in the shoot, which no given manifest "
             "contains: all results are about the first interface.",
      .remedy = "check the ranges and routes of the additional networks separately",
      .source = kUsage},
     check_multus},
    {{.id = "multus-plugins-without-multus",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "multus.installCNIPlugins is set without multus.enabled.",
      .why = "Plugins are installed by the pods of multus only.",
      .remedy = "set multus.enabled: true, or remove installCNIPlugins",
      .source = kUsage},
     check_multus_plugins},
};

void check_policy(const LintInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.node_local_dns.enabled;
  // FELIX_CHAININSERTMODE is Append if the rule for upstream DNS precedes Felix's own rules.
  if (enabled && enabled->value && decide_dns_snat(in.config, in.shoot).value)
    report.add(*enabled,
               "with NodeLocalDNS and without an overlay no network policy blocks pods' DNS");
}

constexpr Check<LintInputs> kDnsLints[] = {
    {{.id = "node-local-dns-escapes-policy",
      .section = "§6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Network policies do not apply to DNS through NodeLocalDNS.",
      .why = "Where snatToUpstreamDNS is on, Felix appends its chains instead of inserting them "
             "first. The rules of NodeLocalDNS then accept pods' DNS before any policy applies.",
      .remedy = "set snatToUpstreamDNS.enabled: false, use an overlay, or remove the policy",
      .source = "gardener-extension-networking-calico docs/usage/usage.md"},
     check_policy},
};

}  // namespace

std::span<const Check<LintInputs>> ebpf_lints() {
  return kEbpfLints;
}

std::span<const Check<LintInputs>> component_lints() {
  return kComponentLints;
}

std::span<const Check<LintInputs>> dns_lints() {
  return kDnsLints;
}

}  // namespace overlane::calico

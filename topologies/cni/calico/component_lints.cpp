#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/cni/calico/sources.h"
#include "topologies/rules/lint_conditions.h"

namespace overlane::calico {
namespace {

using effective::Backend;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

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

/// Tigera's documents: without Typha every node has its own watch on the API server.
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

}  // namespace

std::span<const Check<LintInputs>> component_lints() {
  return kComponentLints;
}

}  // namespace overlane::calico

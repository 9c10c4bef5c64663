#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/update/update_tables.h"

namespace overlane::update {
namespace {

using cni::SwitchInputs;
using effective::Mode;
using effective::ServiceRouting;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kMigrationDocument =
    "gardener/gardener docs/usage/networking/dual-stack-networking-migration.md";
constexpr const char* kFamilies = "spec.networking.ipFamilies";

bool becomes_dual(const SwitchInputs& in) {
  return in.before.ip_families.size() == 1 && in.after.ip_families.size() == 2;
}

bool becomes_single(const SwitchInputs& in) {
  return in.before.ip_families.size() == 2 && in.after.ip_families.size() == 1;
}

SourceLocation place_of_families(const SwitchInputs& in) {
  const auto& families = in.spec.ip_families;
  return families ? families->place : in.spec.place;
}

void lint_dual_from_overlay(const SwitchInputs& in, RuleReport& report) {
  if (becomes_dual(in) && !in.before.opaque && in.before.dataplane.mode == Mode::Overlay)
    report.add(kFamilies, place_of_families(in),
               "the shoot still has an overlay: it must be routed before it becomes dual-stack");
}

void lint_dual(const SwitchInputs& in, RuleReport& report) {
  if (becomes_dual(in))
    report.add(kFamilies, place_of_families(in),
               "pods get IPv6 only when every node has been replaced: until then the constraint "
               "DualStackNodesMigrationReady stays Progressing",
               rules::node_replacement(in.spec.shoot,
                                       "roll the nodes, and restart the pods that need IPv6"));
}

void lint_gcp(const SwitchInputs& in, RuleReport& report) {
  if (becomes_dual(in) && provider::profile_of(in.after.provider).routes.dual_stack_by_interface)
    report.add(kFamilies, place_of_families(in),
               "on gcp all routes of the shoot are deleted before alias ranges replace them, "
               "instance by instance: pods on different nodes cannot reach each other meanwhile");
}

void lint_single(const SwitchInputs& in, RuleReport& report) {
  if (becomes_single(in))
    report.add(kFamilies, place_of_families(in),
               "nodes keep their IPv6 ranges until every one of them has been replaced",
               rules::node_replacement(in.spec.shoot, "roll the nodes"));
}

bool is_kube_proxy(ServiceRouting routing) {
  switch (routing) {
    case ServiceRouting::KubeProxyIptables:
    case ServiceRouting::KubeProxyIpvs:
    case ServiceRouting::KubeProxyNftables:
      return true;
    case ServiceRouting::CalicoEbpf:
    case ServiceRouting::Cilium:
    case ServiceRouting::NetworkExtension:
      return false;
  }
  return false;
}

void lint_service_routing(const SwitchInputs& in, RuleReport& report) {
  if (in.before.opaque || in.after.opaque) return;
  const ServiceRouting before = in.before.dataplane.service_routing;
  const ServiceRouting after = in.after.dataplane.service_routing;
  if (is_kube_proxy(before) != is_kube_proxy(after))
    report.add(
        fmt::format("service routing changes from {} to {} in no defined order: service addresses "
                    "may not be translated for a while",
                    to_string(before), to_string(after)));
}

void lint_kube_proxy_mode(const SwitchInputs& in, RuleReport& report) {
  if (in.before.opaque || in.after.opaque) return;
  const ServiceRouting before = in.before.dataplane.service_routing;
  const ServiceRouting after = in.after.dataplane.service_routing;
  if (before != after && is_kube_proxy(before) && is_kube_proxy(after))
    report.add(fmt::format("service routing changes from {} to {}, which may replace the nodes",
                           to_string(before), to_string(after)),
               rules::node_replacement(in.spec.shoot, "plan for new nodes"));
}

constexpr Check<SwitchInputs> kFamilyLints[] = {
    {{.id = "dual-stack-from-overlay",
      .section = "§5.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A shoot with an overlay becomes dual-stack.",
      .why = "No overlay carries IPv6. In one step both changes apply at once, and old and new "
             "nodes differ in tunnels and families.",
      .remedy = "set overlay.enabled: false first, wait for the switch to end, then add IPv6",
      .source = kMigrationDocument},
     lint_dual_from_overlay},
    {{.id = "dual-stack-rolls-nodes",
      .section = "§5.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A change to dual-stack replaces all nodes.",
      .why = "A node gets its pod CIDRs when it joins. The network extension uses only the primary "
             "family until every node has one of each.",
      .remedy = "roll the nodes, and restart the pods that need IPv6",
      .source = kMigrationDocument},
     lint_dual},
    {{.id = "dual-stack-outage-on-gcp",
      .section = "§5.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A change to dual-stack on GCP interrupts traffic.",
      .why = "The cloud controller is stopped, all pod routes of the VPC network are deleted, and "
             "then each instance gets its alias ranges.",
      .remedy = "plan an outage whose duration grows with the number of nodes",
      .source = kMigrationDocument},
     lint_gcp},
    {{.id = "single-stack-rolls-nodes",
      .section = "§5.7",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A change back to one IP family replaces all nodes.",
      .why = "The constraint DualStackNodesMigrationReady disappears only when all nodes have been "
             "replaced; one passage of Gardener's documents calls this change impossible.",
      .remedy = "roll the nodes",
      .source = kMigrationDocument},
     lint_single},
    {{.id = "service-routing-changed",
      .section = "§5.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "kube-proxy is replaced by an eBPF dataplane, or the reverse, on running nodes.",
      .why = "Gardener removes or adds kube-proxy independently of the network extension's change, "
             "in no defined order. For a while both or neither may translate service addresses.",
      .remedy = "plan an outage of services",
      .source = "gardener/gardener pkg/gardenlet/operation"},
     lint_service_routing},
    {{.id = "kube-proxy-mode-changed",
      .section = "§5.6",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A change of the kube-proxy mode replaces the nodes.",
      .why = "Before Kubernetes 1.34, and with IPVS, Gardener replaces the nodes.",
      .remedy = "plan for new nodes",
      .source = "gardener/gardener docs/usage/networking/node-local-dns.md"},
     lint_kube_proxy_mode},
};

}  // namespace

std::span<const Check<SwitchInputs>> family_lints() {
  return kFamilyLints;
}

}  // namespace overlane::update

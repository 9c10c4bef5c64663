#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/update/update.h"

// Lints about accepted updates of a running shoot that interrupt traffic or replace nodes: changes
// of the overlay, of the IP families and of the service proxy, for every CNI. Lints about one CNI
// are in topologies/cni.
namespace overlane::update {

namespace {

using cni::SwitchInputs;
using effective::Dataplane;
using effective::Mode;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kPath = "spec.networking.providerConfig";

void lint_stale_routes(const SwitchInputs& in, RuleReport& report) {
  const bool writer_stops = provider::profile_of(in.after.provider).routes.follow_overlay;
  if (in.goes(Mode::Routed, Mode::Overlay) && writer_stops &&
      in.before.dataplane.cloud_routes == effective::CloudRoutes::Written)
    report.add(kPath, in.spec.place,
               "with the overlay on, no controller maintains the cloud's pod routes any more: "
               "existing ones remain, lead to deleted machines, and count against the quota");
}

void lint_smaller_mtu(const SwitchInputs& in, RuleReport& report) {
  const Dataplane& before = in.before.dataplane;
  const Dataplane& after = in.after.dataplane;
  if (in.is_known() && after.pod_mtu < before.pod_mtu)
    report.add(kPath, in.spec.place,
               fmt::format("running pods keep the MTU {}, but the path MTU becomes {}: their "
                           "full-size packets are fragmented or lost until they restart",
                           before.pod_mtu, after.pod_mtu));
}

void lint_masquerade(const SwitchInputs& in, RuleReport& report) {
  if (in.goes(Mode::Overlay, Mode::Routed) &&
      in.before.masquerade.except != in.after.masquerade.except)
    report.add(kPath, in.spec.place,
               "packets from pods to nodes keep their pod addresses after the switch: filters that "
               "only allow node addresses must allow the pod range too");
}

constexpr Check<SwitchInputs> kSwitchLints[] = {
    {{.id = "stale-cloud-routes",
      .section = "§5.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Cloud routes to pods remain after the overlay is switched on.",
      .why = "The controllers that wrote them stop without removing any. The routes become black "
             "holes as machines are deleted, and use up the route table's quota.",
      .remedy = "remove the cloud's routes to the pod range manually after the switch",
      .source = "gardener-extension-provider-gcp issue 1187"},
     lint_stale_routes},
    {{.id = "pod-mtu-shrinks",
      .section = "§5.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The path MTU shrinks under running pods.",
      .why = "The MTU of a pod's interface is set at creation. Running pods keep sending packets "
             "that are too large for the new tunnel.",
      .remedy = "restart all pods after the switch",
      .source = "projectcalico/calico cni-plugin; gardener-extension-networking-calico issue 741"},
     lint_smaller_mtu},
    {{.id = "nodes-see-pod-addresses",
      .section = "§5.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title =
          "Without the overlay, nodes receive packets from pod addresses, which filters may drop.",
      .why = "With an overlay, a pod's packet to a node has its own node's address, without one "
             "the pod's.",
      .remedy = "check firewalls and security groups that name node addresses",
      .source = "gardener-extension-networking-calico charts/internal/calico/templates/ippool"},
     lint_masquerade},
};

}  // namespace

std::span<const Check<SwitchInputs>> switch_lints() {
  return kSwitchLints;
}

namespace {

using effective::ServiceRouting;

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

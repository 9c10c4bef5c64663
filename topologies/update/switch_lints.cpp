#include <fmt/format.h>

#include "topologies/update/update_tables.h"

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

}  // namespace overlane::update

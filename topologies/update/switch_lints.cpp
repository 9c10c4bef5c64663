#include <fmt/format.h>

#include "topologies/cni/calico/mutating_policies.h"
#include "topologies/update/update_tables.h"

namespace overlane::update {
namespace {

using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Encapsulation;
using effective::Mode;
using effective::NodeAgent;
using effective::Provider;
using effective::RoutesBy;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kPath = "spec.networking.providerConfig";

bool both_known(const Switch& in) {
  return !in.before.opaque && !in.after.opaque;
}

bool both_by(const Switch& in, NodeAgent agent) {
  return both_known(in) && in.before.agent == agent && in.after.agent == agent;
}

bool goes(const Switch& in, Mode from, Mode to) {
  return both_known(in) && in.before.dataplane.mode == from && in.after.dataplane.mode == to;
}

const SourceLocation& place_of(const Switch& in) {
  return in.update.after.place;
}

/// Whether the extension waits for the cloud's routes before it switches the overlay off.
bool waits_for_routes(const Switch& in) {
  return in.update.landscape.calico_seamless_switch &&
         calico::has_mutating_policies(in.update.after.shoot);
}

void lint_overlay_off(const Switch& in, RuleReport& report) {
  if (goes(in, Mode::Overlay, Mode::Routed) && both_by(in, NodeAgent::CalicoNode) &&
      !waits_for_routes(in))
    report.add(
        kPath, place_of(in),
        fmt::format("the switch from {} to routed loses packets: BIRD rewrites the routes of "
                    "all nodes at once, those of a node go only with its new calico-node "
                    "pod, and nobody waits for the cloud's routes",
                    to_string(in.before.dataplane.encapsulation)));
}

void lint_stale_routes(const Switch& in, RuleReport& report) {
  const bool writer_stops = provider::profile_of(in.after.provider).routes.follow_overlay;
  if (goes(in, Mode::Routed, Mode::Overlay) && writer_stops &&
      in.before.dataplane.routes_by == RoutesBy::CloudRouteTable)
    report.add(kPath, place_of(in),
               "with the overlay on nobody looks after the cloud's pod routes any more: those that "
               "there are stay, lead to machines that are gone, and count against the quota");
}

void lint_smaller_mtu(const Switch& in, RuleReport& report) {
  const Dataplane& before = in.before.dataplane;
  const Dataplane& after = in.after.dataplane;
  if (both_known(in) && after.pod_mtu < before.pod_mtu)
    report.add(kPath, place_of(in),
               fmt::format("running pods keep the MTU {}, but the path takes {} from now on: their "
                           "full-size packets are fragmented or lost until they restart",
                           before.pod_mtu, after.pod_mtu));
}

bool is_vxlan(const EffectiveDataplane& network) {
  return network.dataplane.encapsulation == Encapsulation::Vxlan;
}

bool is_ipip(const EffectiveDataplane& network) {
  return network.dataplane.encapsulation == Encapsulation::Ipip;
}

void lint_other_tunnel(const Switch& in, RuleReport& report) {
  if (!both_by(in, NodeAgent::CalicoNode)) return;
  if (is_ipip(in.before) && is_vxlan(in.after))
    report.add(kPath, place_of(in),
               "from IPIP to VXLAN calico hands out addresses by calico-ipam, which does not know "
               "those that running pods have: an address may be given twice, and BIRD's routes "
               "stay on the nodes");
  if (is_vxlan(in.before) && is_ipip(in.after))
    report.add(kPath, place_of(in),
               "from VXLAN to IPIP routes follow the nodes' podCIDRs again: running pods whose "
               "addresses lie elsewhere cannot be reached until they are recreated");
}

void lint_masquerade(const Switch& in, RuleReport& report) {
  if (goes(in, Mode::Overlay, Mode::Routed) &&
      in.before.masquerade.except != in.after.masquerade.except)
    report.add(kPath, place_of(in),
               "pods reach nodes by their own addresses from now on: filters that only let nodes' "
               "addresses in must let the pods' range in too");
}

void lint_two_steps(const Switch& in, RuleReport& report) {
  if (!both_by(in, NodeAgent::CiliumAgent)) return;
  const Dataplane& before = in.before.dataplane;
  const Dataplane& after = in.after.dataplane;
  if (before.encapsulation != after.encapsulation || before.mode != after.mode ||
      before.routes_by != after.routes_by)
    report.add(kPath, place_of(in),
               "cilium's agents restart only with the reconciliation after the one that writes "
               "their configuration: until then new agents and old ones run side by side");
}

constexpr Check<Switch> kSwitchLints[] = {
    {{.id = "overlay-off-loses-packets",
      .section = "§5.1",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Switching off calico's overlay interrupts traffic.",
      .why = "BIRD drops the tunnel on every node within seconds, its routes stay until each "
             "node's calico-node pod is replaced, two nodes at a time, and the cloud's routes may "
             "come later than both. With SeamlessOverlaySwitch, and MutatingAdmissionPolicy in the "
             "shoot, the extension waits for the routes: see the landscape setting "
             "calico.seamless-overlay-switch.",
      .remedy = "plan an outage, or have SeamlessOverlaySwitch enabled in the landscape",
      .source = "gardener-extension-networking-calico docs/operations/operations.md"},
     lint_overlay_off},
    {{.id = "stale-cloud-routes",
      .section = "§5.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Cloud routes to pods remain after the overlay is switched on.",
      .why = "The controllers that wrote them stop, and remove none. The routes become black holes "
             "as machines go, and use up the route table's quota.",
      .remedy = "remove the cloud's routes into the pods' range by hand after the switch",
      .source = "gardener-extension-provider-gcp issue 1187"},
     lint_stale_routes},
    {{.id = "pod-mtu-shrinks",
      .section = "§5.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "The path MTU shrinks under running pods.",
      .why = "The MTU of a pod's interface is set when it is made. Running pods go on sending "
             "packets that are too large for the new tunnel.",
      .remedy = "restart all pods after the switch",
      .source = "projectcalico/calico cni-plugin; gardener-extension-networking-calico issue 741"},
     lint_smaller_mtu},
    {{.id = "tunnel-changed",
      .section = "§5.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Calico's IPIP and VXLAN are exchanged under running pods.",
      .why = "VXLAN comes with calico-ipam, IPIP with host-local. Neither knows the addresses that "
             "the other has given, and nothing migrates them.",
      .remedy = "recreate all pods at once after the switch, or create a new shoot",
      .source = "gardener-extension-networking-calico pkg/charts/utils.go"},
     lint_other_tunnel},
    {{.id = "nodes-see-pod-addresses",
      .section = "§5.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::Nobody,
      .title =
          "Without the overlay, nodes receive packets from pod addresses, which filters may drop.",
      .why =
          "With an overlay a pod's packet to a node leaves under its own node's address, without "
          "one under the pod's.",
      .remedy = "look through firewalls and security groups that name node addresses",
      .source = "gardener-extension-networking-calico charts/internal/calico/templates/ippool"},
     lint_masquerade},
    {{.id = "cilium-rolls-late",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "A change of cilium's routing needs a second reconciliation.",
      .why =
          "The hash that makes the agents restart is taken from the configuration that was there "
          "before the reconciliation.",
      .remedy = "reconcile the shoot once more after the update",
      .source = "gardener-extension-networking-cilium pkg/controller/actuator_reconcile.go"},
     lint_two_steps},
};

}  // namespace

std::span<const Check<Switch>> switch_lints() {
  return kSwitchLints;
}

}  // namespace overlane::update

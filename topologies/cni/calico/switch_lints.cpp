#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/manifest/spec/mutating_policies.h"

namespace overlane::calico {
namespace {

using cni::SwitchInputs;
using effective::EffectiveDataplane;
using effective::Encapsulation;
using effective::Mode;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

/// Whether the extension waits for the cloud's routes before it switches the overlay off.
bool waits_for_routes(const SwitchInputs& in) {
  return in.landscape.calico_seamless_switch && manifest::mutating_policies(in.spec.shoot).enabled;
}

void lint_overlay_off(const SwitchInputs& in, RuleReport& report) {
  if (in.goes(Mode::Overlay, Mode::Routed) && !waits_for_routes(in))
    report.add(
        fmt::format("the switch from {} to routed loses packets: BIRD rewrites the routes of all "
                    "nodes at once, a node keeps its old routes until its calico-node pod is "
                    "replaced, and neither waits for the cloud's routes",
                    to_string(in.before.dataplane.encapsulation)));
}

bool has(const EffectiveDataplane& network, Encapsulation encapsulation) {
  return network.dataplane.encapsulation == encapsulation;
}

void lint_other_tunnel(const SwitchInputs& in, RuleReport& report) {
  if (has(in.before, Encapsulation::Ipip) && has(in.after, Encapsulation::Vxlan))
    report.add(
        "with VXLAN, calico allocates addresses by calico-ipam, which does not know those "
        "of running pods: an address may be allocated twice, and BIRD's routes stay on the "
        "nodes");
  if (has(in.before, Encapsulation::Vxlan) && has(in.after, Encapsulation::Ipip))
    report.add(
        "with IPIP, routes follow the nodes' podCIDRs again: running pods with addresses "
        "outside their node's podCIDR are unreachable until they are recreated");
}

constexpr Check<SwitchInputs> kSwitchLints[] = {
    {{.id = "overlay-off-loses-packets",
      .section = "§5.1",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Switching off calico's overlay interrupts traffic.",
      .why = "BIRD stops using the tunnel on every node within seconds, its routes stay until each "
             "node's calico-node pod is replaced, two nodes at a time, and the cloud's routes may "
             "be written later than both. With SeamlessOverlaySwitch, and MutatingAdmissionPolicy "
             "in the shoot, the extension waits for the routes: see the landscape setting "
             "calico.seamless-overlay-switch.",
      .remedy = "plan an outage, or have SeamlessOverlaySwitch enabled in the landscape",
      .source = "gardener-extension-networking-calico docs/operations/operations.md"},
     lint_overlay_off},
    {{.id = "tunnel-changed",
      .section = "§5.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Calico changes between IPIP and VXLAN while pods run.",
      .why = "VXLAN comes with calico-ipam, IPIP with host-local. Neither knows the addresses that "
             "the other has allocated, and nothing migrates them.",
      .remedy = "recreate all pods at once after the switch, or create a new shoot",
      .source = "gardener-extension-networking-calico pkg/charts/utils.go"},
     lint_other_tunnel},
};

}  // namespace

std::span<const Check<SwitchInputs>> switch_lints() {
  return kSwitchLints;
}

}  // namespace overlane::calico

#include "scenarios/migration/inputs/hazards.h"

#include <fmt/format.h>

#include "topologies/cni/profiles.h"

namespace overlane::migration {
namespace {

using effective::Backend;
using effective::EffectiveDataplane;
using effective::ServiceRouting;

bool is_calico(const EffectiveDataplane& shoot) {
  return cni::profile_of(shoot.agent).migration.start == cni::AgentStart::FelixAndBird;
}
bool enters_calico_vxlan(const EffectiveDataplane& shoot, Target to) {
  return is_calico(shoot) && to == Target::Vxlan;
}
bool leaves_calico_vxlan(const EffectiveDataplane& shoot, Target to) {
  return is_calico(shoot) && shoot.dataplane.backend == Backend::Vxlan && to != Target::Vxlan;
}
bool switches_calico_vxlan(const EffectiveDataplane& shoot, Target to) {
  return enters_calico_vxlan(shoot, to) || leaves_calico_vxlan(shoot, to);
}
bool enters_ebpf(const EffectiveDataplane& shoot, Target to) {
  return is_calico(shoot) && to == Target::Ebpf;
}
bool switches_ebpf(const EffectiveDataplane& shoot, Target to) {
  return enters_ebpf(shoot, to) ||
         (shoot.dataplane.service_routing == ServiceRouting::CalicoEbpf && to == Target::KubeProxy);
}
bool changes_families(const EffectiveDataplane& /*shoot*/, Target to) {
  return to == Target::DualStack || to == Target::SingleStack;
}
bool enters_dual_stack(const EffectiveDataplane& /*shoot*/, Target to) {
  return to == Target::DualStack;
}
bool gets_alias_ranges(const EffectiveDataplane& shoot, Target to) {
  return enters_dual_stack(shoot, to) &&
         provider::profile_of(shoot.provider).routes.dual_stack_by_interface;
}

struct Hazard {
  bool (*concerns)(const EffectiveDataplane& shoot, Target to);
  std::string_view what;
  sources::Citation source;
};

constexpr Hazard kHazards[] = {
    {enters_calico_vxlan,
     "IPAM changes from host-local to calico-ipam, without a migration: blocks of new pods may lie "
     "in the pod CIDR of another node, and packets to that node's pods then go to the wrong node",
     "gardener-extension-networking-calico charts/internal/calico: derived"},
    {leaves_calico_vxlan,
     "IPAM changes from calico-ipam to host-local: pods with addresses outside their node's pod "
     "CIDR are unreachable until they are made again",
     "assumed: derived"},
    {switches_calico_vxlan,
     "VXLAN is UDP port 4789 and IPIP is protocol 4: both have to pass the packet filters of nodes "
     "and cloud",
     "RFC 7348; RFC 2003"},
    {switches_ebpf,
     "gardenlet deploys or deletes kube-proxy at the same time as the Network, in no order: for a "
     "while Services have both, or none",
     "gardener/gardener pkg/gardenlet/operation"},
    {enters_ebpf,
     "without kube-proxy the Network is never reconciled where kubeProxy.mode is set, which "
     "Gardener's defaults do",
     "gardener-extension-networking-calico issue 918"},
    {switches_ebpf,
     "connections to Services are tracked by another program afterwards: established ones break",
     "assumed: derived"},
    {enters_dual_stack,
     "all nodes have to be replaced until they have pod CIDRs of both families; until then only "
     "the first family is used",
     "gardener/gardener "
     "docs/usage/networking/dual-stack-networking-migration.md"},
    {gets_alias_ranges,
     "all routes to pods are deleted first, and alias ranges are then added to one machine after "
     "the other: pods of machines without one are unreachable",
     "gardener-extension-provider-gcp docs/usage/ipv6.md: dual-stack "
     "migration"},
    {changes_families, "CoreDNS is restarted, and the Service kube-dns gets a second address",
     "gardener/gardener "
     "pkg/gardenlet/operation/botanist/dualstackmigration.go"},
};

}  // namespace

Findings known_hazards(const EffectiveDataplane& shoot, Target to) {
  Findings findings;
  for (const Hazard& hazard : kHazards) {
    if (!hazard.concerns(shoot, to)) continue;
    findings.push_back(Finding{.rule = "known-hazard",
                               .severity = Severity::Note,
                               .message = fmt::format("{} ({})", hazard.what, hazard.source.text()),
                               .object = {shoot.kind, shoot.namespace_, shoot.name},
                               .place = shoot.place});
  }
  return findings;
}

}  // namespace overlane::migration

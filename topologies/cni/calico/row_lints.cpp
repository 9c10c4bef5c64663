#include <fmt/format.h>

#include "topologies/cni/calico/rows.h"
#include "topologies/cni/calico/rule_tables.h"
#include "topologies/cni/calico/sources.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_left_over_vxlan(const LintInputs& in, RuleReport& report) {
  const bool is_unrouted =
      in.dataplane.dataplane.address_gap == effective::AddressGap::LeftOverVxlan;
  if (is_unrouted || in.dataplane.row == to_string(RowId::T5))
    report.add(*in.config.vxlan,
               is_unrouted
                   ? "vxlan.enabled without an overlay makes calico-ipam allocate addresses "
                     "that the network's routes do not cover: pods on different nodes "
                     "cannot reach each other"
                   : "vxlan.enabled without an overlay makes calico-ipam allocate pods' "
                     "addresses");
}

void check_vxlan_without_key(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == to_string(RowId::T8))
    report.add(
        "the pool becomes VXLAN while the backend stays bird: without the key overlay.enabled the "
        "extension does not keep the two consistent");
}

void check_cross_subnet(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == to_string(RowId::T9))
    report.add(*in.config.ipv4->value.mode,
               "between nodes of one subnet, packets have the pods' own addresses");
}

void check_unused_tunnel(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == to_string(RowId::T10))
    report.add(
        *in.config.ipv4->value.mode,
        fmt::format(
            "nothing is encapsulated, but Felix's IPIP stays enabled and pods keep its MTU of {}",
            in.dataplane.dataplane.pod_mtu));
}

void check_contradiction(const LintInputs& in, RuleReport& report) {
  if (!in.dataplane.not_modelled_because.empty())
    report.add(
        "with IPv6 and an overlay, the IPv4 pool has IPIP while Felix's IPIP is off, and IPv6 has "
        "no tunnel");
}

constexpr Check<LintInputs> kRowLints[] = {
    {{.id = "vxlan-left-over",
      .section = "T5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "vxlan.enabled is set although the overlay is off.",
      .why = "The chart reads vxlan.enabled regardless of the overlay: it selects calico-ipam, "
             "which allocates /26 blocks anywhere in the pod range, while the cloud's routes "
             "follow each node's podCIDR.",
      .remedy = "remove the vxlan block",
      .source = kCharts},
     check_left_over_vxlan},
    {{.id = "vxlan-without-overlay-key",
      .section = "T8",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "VXLAN is enabled without the key overlay.enabled.",
      .why =
          "Without the key the pool becomes VXLAN while BIRD keeps running and the chart does not "
          "enable Felix's VXLAN. No default produces this combination, and it is not tested.",
      .remedy = "set overlay.enabled: true together with vxlan.enabled: true",
      .source = kCharts},
     check_vxlan_without_key},
    {{.id = "cross-subnet-shows-pods",
      .section = "T9",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "With CrossSubnet, the network sees pod addresses within a subnet.",
      .why = "Within a subnet the cloud's source checks and packet filters see pod addresses, "
             "between subnets node addresses. All pods keep the tunnel's smaller MTU.",
      .remedy = "make sure that source checks are off, or use mode Always",
      .source = "projectcalico/calico felix/dataplane/linux/int_dataplane.go"},
     check_cross_subnet},
    {{.id = "tunnel-mtu-without-tunnel",
      .section = "T10",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Felix's IPIP is on although the mode encapsulates nothing.",
      .why =
          "Mode Never or Off does not change backend bird and Felix's IPIP: pods lose 20 bytes of "
          "MTU for a tunnel that carries nothing, and BIRD routes need all nodes on one link.",
      .remedy = "set overlay.enabled: false instead of the mode",
      .source = kCharts},
     check_unused_tunnel},
    {{.id = "overlay-with-ipv6",
      .section = "D2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A calico shoot with IPv6 has an overlay.",
      .why = "The chart switches Felix's IPIP off as soon as IPv6 is among the families, and the "
             "pools never encapsulate IPv6. The IPv4 pool then contradicts Felix's settings; aws "
             "and gcp refuse such a shoot.",
      .remedy = "set overlay.enabled: false",
      .source = kCharts},
     check_contradiction},
};

}  // namespace

std::span<const Check<LintInputs>> row_lints() {
  return kRowLints;
}

}  // namespace overlane::calico

#include <fmt/format.h>

#include "topologies/cni/calico/checks.h"

namespace overlane::calico {
namespace {

using effective::Check;
using effective::Enforcer;
using effective::RuleReport;

void check_veth_mtu(const LintInputs& in, RuleReport& report) {
  if (!in.config.veth_mtu || in.config.veth_mtu->value == 0) return;
  const effective::Dataplane& dataplane = in.dataplane.dataplane;
  const std::uint32_t size = dataplane.pod_mtu + dataplane.overhead_bytes;
  if (size > dataplane.link_mtu)
    report.add(*in.config.veth_mtu,
               fmt::format("vethMTU {} and {} bytes of headers exceed the link MTU {} by {}: "
                           "full-size packets are fragmented or lost",
                           dataplane.pod_mtu, dataplane.overhead_bytes, dataplane.link_mtu,
                           size - dataplane.link_mtu));
}

void check_left_over_vxlan(const LintInputs& in, RuleReport& report) {
  if (in.dataplane.row == "T5")
    report.add(*in.config.vxlan,
               "vxlan.enabled without an overlay makes calico-ipam hand out addresses that the "
               "nodes' routes do not cover: pods on different nodes lose each other");
}

constexpr Check<LintInputs> kLints[] = {
    {{.id = "mtu-too-large",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "An explicit vethMTU leaves room for the tunnel's headers.",
      .why = "vethMTU is used for the pods and for every tunnel device alike, and Felix only logs "
             "a value that is too large. Full-size packets are then fragmented or lost.",
      .remedy = "write \"0\" and let Calico choose",
      .source = "projectcalico/calico felix/dataplane/linux/int_dataplane.go"},
     check_veth_mtu},
    {{.id = "vxlan-left-over",
      .section = "T5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Without an overlay there is no vxlan.enabled.",
      .why = "The chart looks at vxlan.enabled whatever the overlay says: it selects calico-ipam, "
             "which hands out /26 blocks from anywhere in the pods' range, while the cloud's "
             "routes follow each node's podCIDR.",
      .remedy = "remove the vxlan block",
      .source = "gardener-extension-networking-calico pkg/charts/utils.go"},
     check_left_over_vxlan},
};

}  // namespace

std::span<const Check<LintInputs>> lints() {
  return kLints;
}

}  // namespace overlane::calico

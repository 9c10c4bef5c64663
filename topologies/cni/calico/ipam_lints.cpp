#include <string>

#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/cni/calico/sources.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::calico {
namespace {

using effective::AddressGap;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool is_vxlan(const LintInputs& in) {
  return in.config.vxlan && in.config.vxlan->value;
}

bool has_gap(const LintInputs& in, AddressGap gap) {
  return in.dataplane.dataplane.address_gap == gap;
}

void check_cidr_unused(const LintInputs& in, RuleReport& report) {
  if (has_own_ipam_range(in.config) && !has_gap(in, AddressGap::SharedRange))
    report.add(*in.config.ipam_cidr, fmt::format("{} has no effect", in.config.ipam_cidr->path));
}

void check_cidr_shared(const LintInputs& in, RuleReport& report) {
  if (has_gap(in, AddressGap::SharedRange))
    report.add(*in.config.ipam_cidr, fmt::format("every node allocates addresses from the same {}",
                                                 in.config.ipam_cidr->value));
}

void check_routed(const LintInputs& in, RuleReport& report) {
  if (has_gap(in, AddressGap::CalicoIpam))
    report.add(*in.config.ipam_type, std::string(in_words(AddressGap::CalicoIpam)));
}

void check_overwritten(const LintInputs& in, RuleReport& report) {
  if (is_vxlan(in) && in.config.ipam_type && in.config.ipam_type->value != "calico-ipam")
    report.add(*in.config.ipam_type,
               fmt::format("{} is overwritten with calico-ipam", in.config.ipam_type->path));
}

constexpr Check<LintInputs> kIpamLints[] = {
    {{.id = "ipam-cidr-unused",
      .section = "§1.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "ipam.cidr is set although it applies only to host-local in a single-stack shoot.",
      .why = "calico-ipam allocates from the pools, and a dual-stack shoot allocates both families "
             "from each node's pod CIDRs.",
      .remedy = "remove ipam.cidr",
      .source = kCharts},
     check_cidr_unused},
    {{.id = "ipam-cidr-shared-by-nodes",
      .section = "§1.3",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "All nodes allocate pod addresses from the same range.",
      .why = "host-local knows only its node. With one range for all, pods on different nodes get "
             "the same address, and no route leads to them.",
      .remedy = "write ipam.cidr: usePodCIDR",
      .source = kCharts},
     check_cidr_shared},
    {{.id = "calico-ipam-without-overlay",
      .section = "T5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A routed shoot uses calico-ipam.",
      .why = "The cloud's routes follow each node's podCIDR, while calico-ipam allocates /26 "
             "blocks anywhere in the pod range: pods on different nodes cannot reach each other.",
      .remedy = "use ipam.type: host-local",
      .source = kCharts},
     check_routed},
    {{.id = "ipam-overwritten-by-vxlan",
      .section = "§2.2",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The IPAM is overwritten because VXLAN needs calico-ipam.",
      .why = "vxlan.enabled selects it, regardless of ipam.type.",
      .remedy = "remove ipam.type",
      .source = kCharts},
     check_overwritten},
};

}  // namespace

std::span<const Check<LintInputs>> ipam_lints() {
  return kIpamLints;
}

}  // namespace overlane::calico

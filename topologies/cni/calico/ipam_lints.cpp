#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "topologies/cni/calico/rule_tables.h"
#include "topologies/cni/calico/sources.h"

namespace overlane::calico {
namespace {

using effective::Mode;
using effective::RoutesBy;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

bool is_vxlan(const LintInputs& in) {
  return in.config.vxlan && in.config.vxlan->value;
}

bool is_calico_ipam(const LintInputs& in) {
  return is_vxlan(in) || (in.config.ipam_type && in.config.ipam_type->value == "calico-ipam");
}

/// Whether ipam.cidr is a range instead of usePodCIDR.
bool has_own_range(const LintInputs& in) {
  if (!in.config.ipam_cidr) return false;
  std::string lower = in.config.ipam_cidr->value;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower != "usepodcidr";
}

bool uses_ipam_cidr(const LintInputs& in) {
  return !is_calico_ipam(in) && !in.shoot.families.is_dual_stack();
}

void check_cidr_unused(const LintInputs& in, RuleReport& report) {
  if (has_own_range(in) && !uses_ipam_cidr(in))
    report.add(*in.config.ipam_cidr, fmt::format("{} has no effect", in.config.ipam_cidr->path));
}

void check_cidr_shared(const LintInputs& in, RuleReport& report) {
  if (has_own_range(in) && uses_ipam_cidr(in))
    report.add(*in.config.ipam_cidr, fmt::format("every node allocates addresses from the same {}",
                                                 in.config.ipam_cidr->value));
}

void check_routed(const LintInputs& in, RuleReport& report) {
  const effective::Dataplane& dataplane = in.dataplane.dataplane;
  if (in.config.ipam_type && in.config.ipam_type->value == "calico-ipam" && !is_vxlan(in) &&
      dataplane.mode == Mode::Routed && dataplane.routes_by == RoutesBy::CloudRouteTable)
    report.add(*in.config.ipam_type,
               "calico-ipam allocates addresses that the cloud's routes do not cover");
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

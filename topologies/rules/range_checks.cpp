#include <fmt/format.h>

#include "topologies/manifest/spec/garden_spec.h"
#include "topologies/rules/range_overlaps.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::GivenRange;
using effective::NetworkInputs;
using effective::RangeOrigin;
namespace {

const char* name_of(Family family) {
  return family == Family::Ipv4 ? "IPv4" : "IPv6";
}

void check_family(const NetworkInputs& in, RuleReport& report) {
  if (in.families.is_dual_stack()) return;
  const Family family = in.families.primary();
  for (const GivenRange& range : in.addressing.given)
    if (range.origin != RangeOrigin::Status && range.value().is_ipv4() != (family == Family::Ipv4))
      report.add(*range.given,
                 fmt::format("{} is not an {} range, but the shoot is {}",
                             range.value().to_string(), name_of(family), name_of(family)));
}

void check_reserved(const NetworkInputs& in, RuleReport& report) {
  for (const GivenRange& range : in.addressing.given)
    for (const manifest::ReservedRange& reserved : manifest::reserved_ranges())
      if (range.value().overlaps(reserved.range))
        report.add(
            *range.given,
            fmt::format(
                "{} {} overlaps {}, which represents {} in Gardener's VPN; scheduling refuses it",
                to_string(range.role), range.value().to_string(), reserved.range.to_string(),
                reserved.purpose));
}

void check_disjoint(const NetworkInputs& in, RuleReport& report) {
  if (in.families.has(Family::Ipv4)) report_overlaps(in, report);
}

constexpr Check<NetworkInputs> kRangeChecks[] = {
    {{.id = "cidr-family",
      .section = "N4",
      .title = "A single-stack shoot has a range of the other IP family.",
      .why = "Gardener's validation refuses a range of the other family, unless the shoot is "
             "dual-stack.",
      .remedy = "give a range of the shoot's family or set ipFamilies",
      .source = "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_family},
    {{.id = "reserved-range",
      .section = "§3.1",
      .title = "A range overlaps those that Gardener reserves for its VPN.",
      .why = "240.0.0.0/8 to 244.0.0.0/8 and fd8f:6d53:b97a:1::/96 represent the networks on both "
             "sides of the VPN between seed and shoot, and the VPN itself. A shoot with such a "
             "range is refused when it is scheduled.",
      .remedy = "choose another range",
      .source = "gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go"},
     check_reserved},
    {{.id = "ranges-overlap",
      .section = "N5",
      .title = "Pod, service and node ranges of a shoot overlap.",
      .why = "An address in two ranges cannot be routed; admission refuses the shoot.",
      .remedy = "pods, services and nodes must be disjoint",
      .source = "gardener/gardener plugin/pkg/shoot/validator/admission.go"},
     check_disjoint},
};

}  // namespace

std::span<const Check<NetworkInputs>> range_checks() {
  return kRangeChecks;
}

}  // namespace overlane::rules

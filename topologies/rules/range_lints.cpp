#include <algorithm>

#include <fmt/format.h>

#include "topologies/rules/range_overlaps.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::Addressing;
using effective::Decided;
using effective::GivenRange;
using effective::RangeOrigin;
using effective::RangeRole;
namespace {

using DecidedRanges = Decided<std::vector<IpPrefix>>;

/// Compares given ranges with assumed ones; admission compares two given ones.
void compare(const SourceLocation& place, const char* role_a, const DecidedRanges& a,
             const char* role_b, const DecidedRanges& b, RuleReport& report) {
  if (!a.basis.assumed && !b.basis.assumed) return;
  for (const IpPrefix& x : a.value)
    for (const IpPrefix& y : b.value)
      if (x.is_ipv4() && x.overlaps(y))
        report.add("spec.networking", place,
                   fmt::format("{} {}{} overlap {} {}{}: {}", role_a, x.to_string(),
                               a.basis.assumed ? " (assumed)" : "", role_b, y.to_string(),
                               b.basis.assumed ? " (assumed)" : "",
                               (b.basis.assumed ? b : a).basis.because));
}

/// The shootDefaults of each seed that could take an unscheduled shoot. That of the only one is the
/// assumed range.
void compare_possible_seeds(const LintInputs& in, RuleReport& report) {
  const auto& seeds = in.shoot.spec.possible_seeds;
  if (seeds.size() < 2) return;
  const auto compare_default = [&](const manifest::SeedSpec& seed,
                                   const manifest::Field<IpPrefix>& written, RangeRole role) {
    const std::vector<GivenRange>& given = in.shoot.addressing.given;
    if (!written || std::ranges::find(given, role, &GivenRange::role) != given.end()) return;
    for (const GivenRange& range : given)
      if (range.value().overlaps(written->value))
        report.add(*range.given,
                   fmt::format("{} {} overlap {} {}, which seed {} would write, one of {} given "
                               "seeds that could take the shoot",
                               to_string(range.role), range.value().to_string(), to_string(role),
                               written->value.to_string(), seed.name, seeds.size()));
  };
  for (const auto& seed : seeds) {
    compare_default(*seed, seed->default_pods, RangeRole::Pods);
    compare_default(*seed, seed->default_services, RangeRole::Services);
  }
}

void check_assumed(const LintInputs& in, RuleReport& report) {
  const Addressing& a = in.shoot.addressing;
  const SourceLocation& place = in.shoot.spec.type.place;
  compare(place, "pods", a.pods, "services", a.services, report);
  compare(place, "pods", a.pods, "nodes", a.nodes, report);
  compare(place, "services", a.services, "nodes", a.nodes, report);
  compare_possible_seeds(in, report);
}

void check_ipv6(const LintInputs& in, RuleReport& report) {
  const bool compared_by_admission = in.shoot.families.has(Family::Ipv4);
  if (!compared_by_admission) report_overlaps(in.shoot, report);
}

void check_primary_family(const LintInputs& in, RuleReport& report) {
  if (!in.shoot.families.is_dual_stack()) return;
  const bool ipv4 = in.shoot.families.primary() == Family::Ipv4;
  for (const GivenRange& range : in.shoot.addressing.given)
    if (range.origin != RangeOrigin::Status && range.value().is_ipv4() != ipv4)
      report.add(*range.given,
                 fmt::format("{} {} is not of the first family, {}", to_string(range.role),
                             range.value().to_string(), ipv4 ? "IPv4" : "IPv6"));
}

void check_left_to_seed(const LintInputs& in, RuleReport& report) {
  if (in.shoot.spec.object.kind != "Shoot" || in.shoot.families.primary() == Family::Ipv6) return;
  const provider::Profile& provider = in.shoot.provider;
  if (in.shoot.addressing.pods.basis.assumed || in.shoot.addressing.services.basis.assumed)
    report.add("spec.networking", in.shoot.spec.type.place,
               provider.admission.default_pods.empty()
                   ? "pods or services are not given: the seed's shootDefaults set them, to the "
                     "same value for all its shoots"
                   : fmt::format("pods or services are not given: admission of provider {} sets "
                                 "them, to the same value for all its shoots",
                                 provider.name));
}

void compare_status(const manifest::Field<IpPrefix>& spec,
                    const std::vector<manifest::Located<IpPrefix>>& status, RuleReport& report) {
  if (!spec) return;
  const auto same_family = [&](const auto& range) {
    return range.value.is_ipv4() == spec->value.is_ipv4();
  };
  const auto same = [&](const auto& range) { return range.value == spec->value; };
  if (std::ranges::any_of(status, same_family) && std::ranges::none_of(status, same))
    report.add(*spec,
               fmt::format("{} is {}, but the status has {}", spec->path, spec->value.to_string(),
                           std::ranges::find_if(status, same_family)->value.to_string()));
}

void check_status(const LintInputs& in, RuleReport& report) {
  const manifest::PodNetworkSpec& spec = in.shoot.spec;
  compare_status(spec.pods, spec.shoot.status_pods, report);
  compare_status(spec.services, spec.shoot.status_services, report);
  compare_status(spec.shoot.nodes, spec.shoot.status_nodes, report);
}

constexpr const char* kAdmission = "gardener/gardener plugin/pkg/shoot/validator/admission.go";

constexpr Check<LintInputs> kRangeLints[] = {
    {{.id = "range-overlaps-default",
      .section = "§3.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A given range overlaps the default of one that is not given.",
      .why = "A missing range is set once the shoot has a seed, from the seed's shootDefaults. "
             "Where only one of the given seeds has the shoot's provider and region, that one's "
             "are assumed here, else the usual ones. Nothing compares them with the given ranges.",
      .remedy = "give the missing range, one that overlaps no other",
      .source = kAdmission},
     check_assumed},
    {{.id = "ipv6-ranges-overlap",
      .section = "§3.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Ranges of an IPv6-only shoot overlap.",
      .why = "Admission compares pods, services and nodes only where IPv4 is among the families. "
             "An IPv6 address in two of them cannot be routed either.",
      .remedy = "pods, services and nodes must be disjoint",
      .source = kAdmission},
     check_ipv6},
    {{.id = "range-of-second-family",
      .section = "N4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A dual-stack shoot gives a range of its second IP family.",
      .why = "Gardener does not check the family of a dual-stack shoot's ranges. Its Network has "
             "one pod range and one service range, of the first family.",
      .remedy = "give ranges of the first of ipFamilies; the second ones come from the cloud",
      .source = "gardener/gardener pkg/api/extensions/validation/network.go"},
     check_primary_family},
    {{.id = "ranges-left-to-the-seed",
      .section = "§3.5",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A shoot leaves its pod or service range to the seed.",
      .why = "A missing range is set from the seed (on metal by the provider's admission) to the "
             "same value for all shoots: those in one routing domain then overlap. A seed without "
             "shootDefaults cannot host the shoot.",
      .remedy = "give spec.networking.pods and services",
      .source = "gardener/gardener plugin/pkg/shoot/mutator/admission.go"},
     check_left_to_seed},
    {{.id = "status-differs-from-spec",
      .section = "§1.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The ranges in a shoot's status differ from its spec.",
      .why = "The status has the ranges in use. If the spec differs, the document is stale or "
             "combined from two; Overlane uses the spec.",
      .remedy = "read the shoot again from its landscape",
      .source = "gardener/gardener pkg/apis/core/v1beta1/types_shoot.go"},
     check_status},
};

}  // namespace

std::span<const Check<LintInputs>> range_lints() {
  return kRangeLints;
}

}  // namespace overlane::rules

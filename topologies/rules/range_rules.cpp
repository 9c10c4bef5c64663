
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Rules about a shoot's own pod, service and node ranges: their IP family, and overlaps with each
// other and with ranges that Gardener, the landscape or the public internet uses.
namespace overlane::rules {

using effective::GivenRange;
using effective::NetworkInputs;
using effective::RangeOrigin;

namespace {

bool is_chosen(const GivenRange& range) {
  return range.origin != RangeOrigin::Status || range.value().is_ipv4();
}

/// " in line 12", or the place in another file; empty if both are in one line.
std::string line_of(const GivenRange& reported, const GivenRange& other) {
  const SourceLocation& place = other.given->place;
  if (place.line == 0) return "";
  if (place.file != reported.given->place.file) return fmt::format(" ({})", place.to_string());
  return place.line == reported.given->place.line ? "" : fmt::format(" in line {}", place.line);
}

void report_overlaps(const NetworkInputs& in, RuleReport& report) {
  const std::vector<GivenRange>& ranges = in.addressing.given;
  for (auto a = ranges.begin(); a != ranges.end(); ++a)
    for (auto b = a + 1; b != ranges.end(); ++b)
      if (a->role != b->role && is_chosen(*a) && is_chosen(*b) && a->value().overlaps(b->value()))
        report.add(*a->given,
                   fmt::format("{} {} overlaps {} {}{}", to_string(a->role), a->value().to_string(),
                               to_string(b->role), b->value().to_string(), line_of(*a, *b)));
}

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

using effective::Addressing;
using effective::Decided;
using effective::RangeRole;

namespace {

using DecidedRanges = Decided<std::vector<IpPrefix>>;

/// Compares ranges if at least one is assumed; admission compares two given ones.
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

/// Compares the shootDefaults of each seed to which an unscheduled shoot could be assigned. With
/// only one such seed, its defaults are the assumed ranges.
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

namespace {

Ipv4Prefix ipv4(const char* text) {
  return Ipv4Prefix::parse(text).value();
}

void check_old_vpn(const LintInputs& in, RuleReport& report) {
  static const IpPrefix kOldVpn = ipv4("192.168.123.0/24");
  for (const GivenRange& range : in.shoot.addressing.given)
    if (range.value().overlaps(kOldVpn))
      report.add(
          *range.given,
          fmt::format("{} {} overlaps {}, which the VPN of older releases uses",
                      to_string(range.role), range.value().to_string(), kOldVpn.to_string()));
}

void check_landscape(const LintInputs& in, RuleReport& report) {
  for (const GivenRange& range : in.shoot.addressing.given)
    for (const IpPrefix& reserved : in.shoot.landscape.reserved_ranges)
      if (range.value().overlaps(reserved))
        report.add(
            *range.given,
            fmt::format("{} {} overlaps {}, which the landscape reserves", to_string(range.role),
                        range.value().to_string(), reserved.to_string()),
            hint_of_fixed_range(in, kOtherRanges));
}

/// Ranges that are not routed in the internet: RFC 1918, RFC 6598, and the ranges of RFC 6890 that
/// private networks use in practice (benchmarking, documentation, class E).
const std::array<Ipv4Prefix, 9>& own_use() {
  static const std::array<Ipv4Prefix, 9> kOwnUse = {
      ipv4("10.0.0.0/8"),      ipv4("172.16.0.0/12"),  ipv4("192.168.0.0/16"),
      ipv4("100.64.0.0/10"),   ipv4("198.18.0.0/15"),  ipv4("192.0.2.0/24"),
      ipv4("198.51.100.0/24"), ipv4("203.0.113.0/24"), ipv4("240.0.0.0/4")};
  return kOwnUse;
}

/// Ranges that are never assigned to a network: "this network", loopback, link-local (RFC 6890),
/// multicast (RFC 5771).
const std::array<Ipv4Prefix, 4>& of_no_network() {
  static const std::array<Ipv4Prefix, 4> kOfNoNetwork = {
      ipv4("0.0.0.0/8"), ipv4("127.0.0.0/8"), ipv4("169.254.0.0/16"), ipv4("224.0.0.0/4")};
  return kOfNoNetwork;
}

void check_public(const LintInputs& in, RuleReport& report) {
  for (const GivenRange& range : in.shoot.addressing.given) {
    const std::optional<Ipv4Prefix> given = range.value().ipv4();
    if (!given) continue;
    const auto holds = [&](const Ipv4Prefix& other) { return other.contains(*given); };
    const auto special = std::ranges::find_if(of_no_network(), holds);
    if (special != of_no_network().end())
      report.add(*range.given,
                 fmt::format("{} {} is in {}, which is never routed", to_string(range.role),
                             given->to_string(), special->to_string()),
                 hint_of_fixed_range(in, kOtherRanges));
    else if (std::ranges::none_of(own_use(), holds))
      report.add(*range.given,
                 fmt::format("{} {} is in public address space", to_string(range.role),
                             given->to_string()),
                 hint_of_fixed_range(in, kOtherRanges));
  }
}

constexpr Check<LintInputs> kReservedRangeLints[] = {
    {{.id = "old-vpn-range",
      .section = "§3.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A range overlaps 192.168.123.0/24.",
      .why = "Older releases of Gardener use this range for the VPN between seed and shoot, and "
             "refuse the shoot on every seed.",
      .remedy = "choose another range if the landscape is an old one",
      .source = "gardener/dashboard issue 1231"},
     check_old_vpn},
    {{.id = "landscape-reserved-range",
      .section = "§3.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A range overlaps those that the landscape reserves.",
      .why = "An operator's own ranges are in no API object, and Gardener does not compare them. "
             "The landscape setting reserved-ranges names them.",
      .remedy = "choose another range",
      .source = "the landscape's operator"},
     check_landscape},
    {{.id = "public-range",
      .section = "§9",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A range lies in public address space.",
      .why = "Pods cannot reach the internet hosts that own such addresses. 100.128.0.0/11, for "
             "example, is outside the shared address space 100.64.0.0/10. Loopback, link-local and "
             "multicast addresses are never routed at all.",
      .remedy = "use private addresses (RFC 1918) or shared ones (RFC 6598)",
      .source = "RFC 6890"},
     check_public},
};

}  // namespace

std::span<const Check<LintInputs>> reserved_range_lints() {
  return kReservedRangeLints;
}

}  // namespace overlane::rules

#include <algorithm>

#include <fmt/format.h>

#include "topologies/rules/rule_tables.h"

// Rules about the shoot's seed, if its ranges are known: the seed's defaults, and overlaps with its
// ranges, which the VPN between seed and shoot cannot distinguish.
namespace overlane::rules {

using effective::GivenRange;
using effective::NetworkInputs;
using effective::RangeRole;
namespace {

using manifest::Field;

/// The shoot's seed, or the only given seed to which an unscheduled shoot could be assigned.
const manifest::SeedSpec* seed_of(const NetworkInputs& in) {
  if (in.spec.seed) return in.spec.seed.get();
  return in.spec.possible_seeds.size() == 1 ? in.spec.possible_seeds.front().get() : nullptr;
}

/// Calls `found` for each range of the shoot that overlaps a range of the seed.
template <typename Found>
void compare_with_seed(const NetworkInputs& in, bool ipv4, Found found) {
  if (seed_of(in) == nullptr) return;
  const manifest::SeedSpec& seed = *seed_of(in);
  for (const GivenRange& range : in.addressing.given)
    for (const Field<IpPrefix>* of_seed : {&seed.nodes, &seed.pods, &seed.services})
      if (*of_seed && range.value().is_ipv4() == ipv4 && range.value().overlaps((*of_seed)->value))
        found(
            *range.given,
            fmt::format("{} {} overlaps {} {} of {} {}", to_string(range.role),
                        range.value().to_string(), (*of_seed)->path, (*of_seed)->value.to_string(),
                        in.spec.seed ? "the seed" : "the only seed that could take the shoot,",
                        seed.name));
}

void check_ipv6_of_seed(const NetworkInputs& in, RuleReport& report) {
  compare_with_seed(in, false, [&](const auto& at, const std::string& what) {
    if (in.spec.seed)
      report.add(at, what);
    else
      report.add_assumed(at, what);
  });
}

void check_ipv4(const LintInputs& in, RuleReport& report) {
  compare_with_seed(in.shoot, true,
                    [&](const auto& at, const std::string& what) { report.add(at, what); });
}

/// Reports ranges that neither the shoot nor its seed contains; for an unscheduled shoot, the
/// missing defaults of each seed to which it could be assigned.
void check_defaults(const NetworkInputs& in, RuleReport& report) {
  const bool written_by_admission = !in.provider.admission.default_pods.empty();
  if (!in.families.has(Family::Ipv4) || written_by_admission) return;
  for (const RangeRole role : {RangeRole::Pods, RangeRole::Services}) {
    if (std::ranges::find(in.addressing.given, role, &GivenRange::role) !=
        in.addressing.given.end())
      continue;
    if (in.spec.seed) {
      report.add(fmt::format("neither the shoot nor its seed {} gives {}", in.spec.seed->name,
                             to_string(role)));
      continue;
    }
    const auto& seeds = in.spec.possible_seeds;
    for (const auto& seed : seeds) {
      const auto& written = role == RangeRole::Pods ? seed->default_pods : seed->default_services;
      if (!written)
        report.add_assumed(
            "spec.networking", in.spec.type.place,
            fmt::format("neither the shoot nor {} given seed that could take it ({}) gives {}",
                        seeds.size() == 1 ? "the only" : "a", seed->name, to_string(role)));
    }
  }
}

constexpr const char* kShootValidatorPlugin =
    "gardener/gardener plugin/pkg/shoot/validator/admission.go";

constexpr Check<NetworkInputs> kSeedChecks[] = {
    {{.id = "ipv6-overlaps-seed",
      .section = "§3.2",
      .title = "A shoot's IPv6 range overlaps its seed's.",
      .why = "The VPN between seed and shoot translates IPv4 ranges that overlap, and no IPv6 "
             "ones: scheduling refuses the shoot.",
      .remedy = "choose another range, or another seed",
      .source = kShootValidatorPlugin},
     check_ipv6_of_seed},
};

constexpr Check<NetworkInputs> kSeedOmissions[] = {
    {{.id = "seed-without-defaults",
      .section = "§3.2",
      .title = "Neither the shoot nor its seed gives the pod and service ranges.",
      .why = "Once a shoot has a seed, both ranges must be there. They come from the seed's "
             "shootDefaults where those are of the shoot's family; without any, admission refuses "
             "the shoot. The answers given here assume the usual ranges.",
      .remedy =
          "give spec.networking.pods and services, or spec.networks.shootDefaults in the seed",
      .source = kShootValidatorPlugin},
     check_defaults},
};

constexpr Check<LintInputs> kSeedLints[] = {
    {{.id = "ipv4-overlaps-seed",
      .section = "§3.2",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A shoot's IPv4 range overlaps its seed's.",
      .why = "An overlap is allowed today: the VPN translates addresses on both sides. Releases "
             "before that refuse it, and for a while it was allowed only for shoots whose control "
             "plane is not highly available.",
      .remedy = "choose another range if the landscape is an old one",
      .source = "gardener/gardener pull request 11582; gardener/gardener pull request "
                "12204"},
     check_ipv4},
};

}  // namespace

std::span<const Check<NetworkInputs>> seed_checks() {
  return kSeedChecks;
}

std::span<const Check<NetworkInputs>> seed_omission_checks() {
  return kSeedOmissions;
}

std::span<const Check<LintInputs>> seed_lints() {
  return kSeedLints;
}

}  // namespace overlane::rules

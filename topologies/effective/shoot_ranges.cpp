#include "topologies/effective/shoot_ranges.h"

#include <fmt/format.h>

namespace overlane::effective {
namespace {

using manifest::Field;

/// A default counts for a shoot of its family alone, and only until a status says what is in use.
bool applies(const Field<IpPrefix>& of_seed, bool in_status, const NetworkInputs& in) {
  return of_seed && !in_status &&
         of_seed->value.is_ipv4() == (in.families.primary() == Family::Ipv4);
}

}  // namespace

std::array<GivenRange, 3> given_ranges(const NetworkInputs& in) {
  std::array<GivenRange, 3> ranges = {
      {{"pods", &in.spec.pods}, {"services", &in.spec.services}, {"nodes", &in.spec.shoot.nodes}}};
  if (in.spec.seed == nullptr) return ranges;
  const manifest::ShootSpec& shoot = in.spec.shoot;
  const manifest::SeedSpec& seed = *in.spec.seed;
  if (!in.spec.pods && applies(seed.default_pods, !shoot.status_pods.empty(), in))
    ranges[0].given = &seed.default_pods;
  if (!in.spec.services && applies(seed.default_services, !shoot.status_services.empty(), in))
    ranges[1].given = &seed.default_services;
  return ranges;
}

void report_overlaps(const NetworkInputs& in, RuleReport& report) {
  const auto ranges = given_ranges(in);
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      if (!*ranges[i].given || !*ranges[j].given) continue;
      const auto& a = **ranges[i].given;
      const auto& b = **ranges[j].given;
      if (a.value.overlaps(b.value))
        report.add(a, fmt::format("{} {} overlaps {} {}", ranges[i].role, a.value.to_string(),
                                  ranges[j].role, b.value.to_string()));
    }
}

}  // namespace overlane::effective

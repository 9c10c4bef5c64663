#include <fmt/format.h>

#include "topologies/effective/rule_tables.h"

namespace overlane::effective {
namespace {

using Ranges = Decided<std::vector<IpPrefix>>;

/// Given ranges against assumed ones; two given ones are admission's business.
void compare(const Place& place, const char* role_a, const Ranges& a, const char* role_b,
             const Ranges& b, RuleReport& report) {
  if (!a.basis.assumed && !b.basis.assumed) return;
  for (const IpPrefix& x : a.value)
    for (const IpPrefix& y : b.value)
      if (x.is_ipv4() && x.overlaps(y))
        report.add("spec.networking", place,
                   fmt::format("{} {}{} overlap {} {}{}", role_a, x.to_string(),
                               a.basis.assumed ? " (assumed)" : "", role_b, y.to_string(),
                               b.basis.assumed ? " (assumed)" : ""));
}

void check_assumed_ranges(const LintInputs& in, RuleReport& report) {
  const Addressing& a = in.shoot.addressing;
  const Place& place = in.shoot.spec.place;
  compare(place, "pods", a.pods, "services", a.services, report);
  compare(place, "pods", a.pods, "nodes", a.nodes, report);
  compare(place, "services", a.services, "nodes", a.nodes, report);
}

void check_workers(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  const std::int64_t most = in.dataplane.max_nodes;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  for (const manifest::WorkerPool& pool : shoot.workers) {
    minimum += pool.minimum;
    maximum += pool.maximum;
  }
  if ((maximum <= most && most > 0) || in.dataplane.pods.empty()) return;
  const Place place = shoot.workers.empty() ? in.shoot.spec.place : shoot.workers.front().place;
  report.add("spec.provider.workers", place,
             fmt::format("the workers may grow to {} nodes (at least {}), but the ranges hold {}",
                         maximum, minimum, most));
}

constexpr Check<LintInputs> kLints[] = {
    {{.id = "overlapping-ranges",
      .section = "§3.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Given ranges do not overlap the usual values of those that are not given.",
      .why = "What no document gives is filled in later, usually with the values assumed here; the "
             "shoot is then refused.",
      .remedy = "give the assumed range",
      .source = "gardener/gardener plugin/pkg/shoot/validator/admission.go"},
     check_assumed_ranges},
    {{.id = "too-few-node-ranges",
      .section = "§3.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "The ranges hold as many nodes as the workers may grow to.",
      .why = "Nobody compares the workers' maximum with the pods' range. A node beyond it never "
             "gets a pod range and stays unusable.",
      .remedy = "nodes beyond that never get a pod range; use a larger pods range or node mask",
      .source = "gardener/gardener issues 5298 and 7779"},
     check_workers},
};

}  // namespace

std::span<const Check<LintInputs>> lints() {
  return kLints;
}

}  // namespace overlane::effective

#include "topologies/overlap/testing/reports.h"

#include "topologies/overlap/report/group_index.h"

namespace overlane::overlap::testing {
namespace {

End routed_pods(const std::string& name) {
  End end{.object = {"Shoot", "garden-dev", name},
          .role = Role::Pods,
          .cidr = IpPrefix::parse("100.96.0.0/11").value(),
          .dataplane_mode = DataplaneMode::Routed,
          .place = {name + ".yaml", 7, 11},
          .path = "spec.networking.pods"};
  end.shoot = end.owner = end.object.qualified();
  return end;
}

}  // namespace

Overlap contested(const std::string& a, const std::string& b) {
  Overlap overlap{.kind = "pods-pods",
                  .routing_domain = "gcp/shared-vpc",
                  .a = routed_pods(a),
                  .b = routed_pods(b),
                  .consequence = "packets go astray",
                  .nodes_until_conflict = 0,
                  .creations_until_conflict = 0};
  overlap.impact = {&rule("overlap-routes-contested"), Severity::Error};
  overlap.intersection = overlap.a.cidr;
  return overlap;
}

OverlapReport report_of(std::vector<Overlap> overlaps) {
  OverlapReport report;
  for (const Overlap& overlap : overlaps) {
    auto group = GroupIndex(report.groups).of(overlap);
    if (!group) {
      group = report.groups.size();
      report.groups.push_back({.routing_domain = overlap.routing_domain,
                               .impact = overlap.impact,
                               .kind = overlap.kind});
    }
    ++report.groups[*group].pairs;
    ++report.groups[*group].listed;
  }
  report.overlaps = std::move(overlaps);
  return report;
}

}  // namespace overlane::overlap::testing

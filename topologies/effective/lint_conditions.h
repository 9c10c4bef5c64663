#pragma once

#include "topologies/effective/rule_tables.h"

namespace overlane::effective {

// What many lints ask first. Of an opaque network nothing is known to be so.

inline bool is(const LintInputs& in, Provider provider) {
  return in.shoot.rules.provider == provider;
}

inline bool is_routed(const LintInputs& in) {
  return !in.dataplane.opaque && in.dataplane.dataplane.mode == Mode::Routed;
}

/// Whether the cloud gets a route for each node, be it beside those that nodes write themselves.
inline bool has_cloud_routes(const LintInputs& in) {
  const NetworkInputs& shoot = in.shoot;
  return is_routed(in) &&
         native_routes(shoot.rules, shoot.families, shoot.families.primary()) ==
             RoutesBy::CloudRouteTable &&
         (shoot.overlay.enabled || !shoot.rules.routes_follow_overlay);
}

inline bool is_encapsulated(const LintInputs& in, Encapsulation encapsulation) {
  return !in.dataplane.opaque && in.dataplane.dataplane.encapsulation == encapsulation;
}

/// How many nodes the workers may grow to, and how many there are at least.
struct NodeCount {
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};

inline NodeCount count_nodes(const manifest::ShootSpec& shoot) {
  NodeCount count;
  for (const manifest::WorkerPool& pool : shoot.workers) {
    count.minimum += pool.minimum;
    count.maximum += pool.maximum;
  }
  return count;
}

/// Where a finding about all workers stands.
inline Place place_of_workers(const LintInputs& in) {
  const auto& workers = in.shoot.spec.shoot.workers;
  return workers.empty() ? in.shoot.spec.place : workers.front().place;
}

}  // namespace overlane::effective

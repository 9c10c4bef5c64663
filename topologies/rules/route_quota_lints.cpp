#include <fmt/format.h>

#include "topologies/effective/route_quota.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::route_room;
using effective::RouteRoom;
using provider::RouteQuota;
namespace {

/// The routes of one shoot and the route quota of its table.
struct Load {
  const RouteQuota* quota = nullptr;  ///< nullptr: no quota applies.
  RouteRoom room;
  NodeCount routes;
};

Load load_of(const LintInputs& in) {
  Load load;
  if (!has_cloud_routes(in)) return load;
  const auto& quota = in.shoot.provider.routes.quota;
  if (!quota) return load;
  load.quota = &*quota;
  load.room = route_room(in.shoot.provider.provider, in.shoot.landscape.route_quotas);
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  const std::int64_t others =
      load.quota->own_routes +
      static_cast<std::int64_t>(shoot.infrastructure.gateway_endpoints.size());
  load.routes = count_nodes(shoot);
  load.routes.minimum += others;
  load.routes.maximum += others;
  return load;
}

void add_load(const LintInputs& in, const Load& load, std::int64_t routes, std::int64_t room,
              std::string_view source, RuleReport& report) {
  report.add("spec.provider.workers", place_of_workers(in),
             fmt::format("the {} would have {} routes, one for each node, but the quota is {} ({})",
                         load.quota->holder, routes, room, source));
}

void check_minimum(const LintInputs& in, RuleReport& report) {
  const Load load = load_of(in);
  if (load.quota != nullptr && load.room.routes > 0 && load.routes.minimum > load.room.routes)
    add_load(in, load, load.routes.minimum, load.room.routes, load.room.source, report);
}

void check_maximum(const LintInputs& in, RuleReport& report) {
  const Load load = load_of(in);
  if (load.quota != nullptr && load.room.routes > 0 && load.routes.maximum > load.room.routes &&
      load.routes.minimum <= load.room.routes)
    add_load(in, load, load.routes.maximum, load.room.routes, load.room.source, report);
}

void check_disputed(const LintInputs& in, RuleReport& report) {
  const Load load = load_of(in);
  if (load.quota == nullptr || load.room.is_set || load.quota->lowest == 0) return;
  if (load.routes.maximum > load.quota->lowest && load.routes.maximum <= load.room.routes)
    add_load(in, load, load.routes.maximum, load.quota->lowest, load.quota->lowest_source, report);
}

constexpr Check<LintInputs> kRouteQuotaLints[] = {
    {{.id = "route-quota-by-minimum",
      .section = "§4.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Routes at minimum node count exceed the provider's route quota.",
      .why = "Without an overlay each node needs a route (on aws one in the table of every zone). "
             "Gardener does not compare the workers with the cloud's quota; nodes beyond it never "
             "get a route and are unusable.",
      .remedy = "have the quota raised and pass --set landscape.route-quota.<provider>=N, or use "
                "an overlay",
      .source = "topologies/provider"},
     check_minimum},
    {{.id = "route-quota-by-maximum",
      .section = "§4.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Routes at maximum node count exceed the provider's route quota.",
      .why = "The shoot starts without errors, but nodes that the autoscaler adds beyond the quota "
             "never get a route.",
      .remedy = "have the quota raised and pass --set landscape.route-quota.<provider>=N, or lower "
                "the workers' maximum",
      .source = "topologies/provider"},
     check_maximum},
    {{.id = "route-quota-disputed",
      .section = "§4.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "The workers may exceed the lowest route quota that a document names.",
      .why = "Gardener's documents give different quotas for one cloud, and accounts differ: your "
             "quota may be the lower one.",
      .remedy = "look up the quota of your account and set landscape.route-quota.<provider>",
      .source = "topologies/provider"},
     check_disputed},
};

}  // namespace

std::span<const Check<LintInputs>> route_quota_lints() {
  return kRouteQuotaLints;
}

}  // namespace overlane::rules

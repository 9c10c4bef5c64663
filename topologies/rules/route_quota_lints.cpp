#include <string>

#include <fmt/format.h>

#include "results/finding/counted.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::route_count;
using effective::RouteCount;
using effective::RouteRoom;
using provider::RouteQuota;
namespace {

/// The routes of one shoot and the route quota of its table.
struct Load {
  const RouteQuota* quota = nullptr;  ///< nullptr: no quota applies.
  RouteRoom room;
  RouteCount count;
  NodeCount routes;
};

Load load_of(const LintInputs& in) {
  Load load;
  if (!has_cloud_routes(in)) return load;
  const auto& quota = in.shoot.provider.routes.quota;
  if (!quota) return load;
  load.quota = &*quota;
  load.room = in.dataplane.route_room;
  load.count = route_count(in.dataplane);
  const NodeCount nodes = count_nodes(in.shoot.spec.shoot);
  load.routes = {load.count.of(nodes.minimum), load.count.of(nodes.maximum)};
  return load;
}

/// "one for each node", "2 for each node and 3 others".
std::string parts_of(const RouteCount& count) {
  std::string text =
      count.per_node == 1 ? "one for each node" : fmt::format("{} for each node", count.per_node);
  if (count.others > 0)
    text += " and " + counted(static_cast<std::uint64_t>(count.others), "other");
  return text;
}

/// A quota that the load exceeds, and what to do about it.
struct Exceeded {
  std::int64_t routes;
  std::int64_t quota;
  std::string_view source;
  std::string_view hint;  ///< `{}`: the option that sets the quota.
};

void add_load(const LintInputs& in, const Load& load, const Exceeded& exceeded,
              RuleReport& report) {
  const std::string path = "spec.provider.workers";
  const std::string message =
      fmt::format("the {} would have {} routes, {}, but the quota is {} ({})", load.quota->holder,
                  exceeded.routes, parts_of(load.count), exceeded.quota, exceeded.source);
  std::string hint =
      fmt::format(fmt::runtime(exceeded.hint),
                  fmt::format("--set landscape.route-quota.{}=N", in.shoot.provider.name));
  if (load.room.is_set)
    report.add(path, place_of_workers(in), message, std::move(hint));
  else
    report.add_assumed(path, place_of_workers(in), message, std::move(hint));
}

void check_minimum(const LintInputs& in, RuleReport& report) {
  const Load load = load_of(in);
  if (load.quota != nullptr && load.room.routes > 0 && load.routes.minimum > load.room.routes)
    add_load(in, load,
             {load.routes.minimum, load.room.routes, load.room.source.text(),
              in.shoot.provider.routes.follow_overlay
                  ? "have the quota raised and pass {}, or use an overlay"
                  : "have the quota raised and pass {}, or lower the workers' minimum"},
             report);
}

void check_maximum(const LintInputs& in, RuleReport& report) {
  const Load load = load_of(in);
  if (load.quota != nullptr && load.room.routes > 0 && load.routes.maximum > load.room.routes &&
      load.routes.minimum <= load.room.routes)
    add_load(in, load,
             {load.routes.maximum, load.room.routes, load.room.source.text(),
              "have the quota raised and pass {}, or lower the workers' maximum"},
             report);
}

void check_disputed(const LintInputs& in, RuleReport& report) {
  const Load load = load_of(in);
  if (load.quota == nullptr || load.room.is_set || load.quota->lowest == 0) return;
  if (load.routes.maximum > load.quota->lowest && load.routes.maximum <= load.room.routes)
    add_load(in, load,
             {load.routes.maximum, load.quota->lowest, load.quota->lowest_source.text(),
              "look up the quota of your account and pass {}"},
             report);
}

constexpr Check<LintInputs> kRouteQuotaLints[] = {
    {{.id = "route-quota-by-minimum",
      .section = "§4.4",
      .severity = effective::route_quota_severity(true, false),
      .enforcer = Enforcer::None,
      .title = "Routes at minimum node count exceed the provider's route quota.",
      .why =
          "Without an overlay each node needs a route (on aws one in the table of every zone). "
          "Gardener does not compare the workers with the cloud's quota; nodes beyond it never "
          "get a route and are unusable. It is an error where the quota is known, a warning where "
          "it is assumed.",
      .remedy = "have the quota raised and pass --set landscape.route-quota.<provider>=N, or use "
                "an overlay where the provider writes no routes with one",
      .source = "topologies/provider"},
     check_minimum},
    {{.id = "route-quota-by-maximum",
      .section = "§4.4",
      .severity = effective::route_quota_severity(false, false),
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
      .remedy =
          "look up the quota of your account and pass --set landscape.route-quota.<provider>=N",
      .source = "topologies/provider"},
     check_disputed},
};

}  // namespace

std::span<const Check<LintInputs>> route_quota_lints() {
  return kRouteQuotaLints;
}

}  // namespace overlane::rules

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "results/base/text.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Lints about the cloud's routes to pods: whether they exist, into which table they are written,
// and whether the route quota is large enough for the workers.
namespace overlane::rules {

using effective::Backend;
using effective::Dataplane;
using effective::Provider;
using effective::RoutesBy;
namespace {

void check_no_routes(const LintInputs& in, RuleReport& report) {
  if (!is_routed(in) || in.dataplane.dataplane.routes_by != RoutesBy::None) return;
  const bool has_tunnel = in.shoot.families.has(Family::Ipv4) || in.dataplane.has_ipv6_tunnel;
  report.add(fmt::format("pods are routed, but no mechanism of provider {} to route them is known",
                         in.shoot.provider.name),
             has_tunnel ? "" : "run one node, or use a CNI that can tunnel IPv6, such as cilium");
}

void check_across_subnets(const LintInputs& in, RuleReport& report) {
  const bool are_unreachable =
      effective::has_unreachable_routes(in.shoot.provider, in.dataplane.dataplane);
  if (!is_routed(in) || !(in.shoot.overlay.pod_routes || are_unreachable) ||
      !in.dataplane.dataplane.nodes_write_routes() ||
      in.dataplane.dataplane.cloud_routes == effective::CloudRoutes::NotWritten)
    return;
  std::set<std::string> subnets;
  for (const effective::NodeSubnet& subnet : in.dataplane.node_subnets.given)
    subnets.insert(subnet.cidr.to_string());
  const bool no_link = !in.shoot.provider.routes.nodes_share_link;
  if (!no_link && subnets.size() < 2) return;
  const std::string message =
      are_unreachable ? fmt::format(
                            "BIRD writes unreachable routes to pods of other nodes, since "
                            "machines on {} have /32 addresses",
                            in.shoot.provider.name)
      : no_link
          ? fmt::format(
                "createPodRoutes adds host routes to other nodes, but nodes on {} share no link",
                in.shoot.provider.name)
          : fmt::format(
                "createPodRoutes adds host routes to other nodes, but these are in {} subnets",
                subnets.size());
  const auto& block = in.shoot.overlay.given;
  if (block && block->value.create_pod_routes)
    report.add(*block->value.create_pod_routes, message);
  else
    report.add(message);
}

/// Whether the network refuses routes into its subnets, and pods need or get routes.
bool has_refused_routes(const LintInputs& in) {
  return in.shoot.provider.fabric.protects_subnets && is_routed(in) &&
         (has_cloud_routes(in) ||
          in.dataplane.dataplane.route_gap == effective::RouteGap::PodsInSubnet);
}

/// Checks only subnets that a manifest names.
void check_hidden_subnet(const LintInputs& in, RuleReport& report) {
  if (!has_refused_routes(in)) return;
  const manifest::Infrastructure& infrastructure = in.shoot.spec.shoot.infrastructure;
  const effective::Decided<std::vector<IpPrefix>>& ranges = in.shoot.addressing.pods;
  for (const auto& subnet : {infrastructure.workers_cidr, infrastructure.internal_cidr})
    for (const IpPrefix& pods : ranges.value) {
      if (!subnet || !pods.overlaps(subnet->value)) continue;
      const std::string message = fmt::format(
          "pods {} overlap the subnet {} {}, and the network of provider {} refuses routes into a "
          "subnet: nodes whose pod CIDR lies there get no route",
          pods.to_string(), subnet->path, subnet->value.to_string(), in.shoot.provider.name);
      const char* const hint = remedy_of(effective::RouteGap::PodsInSubnet, in.shoot.stage);
      if (ranges.basis.assumed)
        report.add_assumed(*subnet, message, hint);
      else
        report.add(*subnet, message, hint);
    }
}

void check_last_table(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.routes.table_per_zone && has_cloud_routes(in) &&
      in.dataplane.zones.size() > 1)
    report.add("spec.provider.workers", place_of_workers(in),
               fmt::format("each node's route is in the tables of {} zones, and only the last one "
                           "decides the node's condition",
                           in.dataplane.zones.size()));
}

void check_own_tables(const LintInputs& in, RuleReport& report) {
  if (!has_cloud_routes(in)) return;
  const manifest::Infrastructure& infrastructure = in.shoot.spec.shoot.infrastructure;
  const char* const message =
      "routes to nodes are written into the route table of this existing subnet, and remain there "
      "after the shoot is deleted";
  if (infrastructure.subnet_name) report.add(*infrastructure.subnet_name, message);
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (zone.workers_subnet_id) report.add(*zone.workers_subnet_id, message);
}

void check_route_name(const LintInputs& in, RuleReport& report) {
  const auto& id = in.shoot.spec.shoot.technical_id;
  const std::size_t length = in.shoot.provider.routes.name_length;
  if (length > 0 && has_cloud_routes(in) && id && id->value.size() > length)
    report.add(
        *id,
        fmt::format(
            "{}'s routes are distinguished by \"{}\", the first {} characters of the technical id",
            in.shoot.provider.name, id->value.substr(0, length), length));
}

void check_custom_controller(const LintInputs& in, RuleReport& report) {
  const auto& given = in.shoot.spec.shoot.control_plane.custom_route_controller;
  const bool written = in.shoot.overlay.enabled == false;
  if (in.shoot.admission_runs() && given && given->value != written)
    report.add(
        *given,
        fmt::format("admission overwrites {} with {} because overlay.enabled is {}", given->path,
                    written, in.shoot.overlay.enabled ? fmt::format("{}", !written) : "not given"));
}

void check_serial(const LintInputs& in, RuleReport& report) {
  if (in.shoot.provider.routes.writes == provider::RouteWrites::RouterUpdates &&
      has_cloud_routes(in))
    report.add(
        "routes are written to the router one node at a time, unless Neutron has the atomic "
        "extension of extra routes");
}

constexpr Check<LintInputs> kRouteLints[] = {
    {{.id = "no-route-between-nodes",
      .section = "§2.7",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Nothing routes the pods of a shoot without an overlay.",
      .why = "Without a tunnel, a route table or BGP, pods on different nodes cannot reach each "
             "other.",
      .remedy = "set overlay.enabled: true",
      .source = "gardener-extension-provider-local"},
     check_no_routes},
    {{.id = "pod-routes-across-subnets",
      .section = "T6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "createPodRoutes is set for nodes in several subnets.",
      .why = "The host routes name other nodes as next hops, which must be neighbours. Across "
             "subnets, and in networks without a shared link, they do not work or are refused, and "
             "they take precedence over the cloud's routes.",
      .remedy = "remove createPodRoutes and rely on the cloud's routes",
      .source = "gardener-extension-networking-calico docs/usage/shoot_overlay_network.md"},
     check_across_subnets},
    {{.id = "route-hides-subnet",
      .section = "§3.6",
      .severity = Severity::Error,
      .enforcer = Enforcer::None,
      .title = "The pod range overlaps a subnet of a network that refuses such routes.",
      .why = "A route may not cover a subnet's range: gcp and hcloud refuse it, and the node gets "
             "none. No admission compares the two ranges.",
      .remedy = "choose another range for pods or for the subnet",
      .source = "gardener/gardener issue 5180; "
                "hetznercloud/hcloud-cloud-controller-manager "
                "docs/deploy_with_networks.md"},
     check_hidden_subnet},
    {{.id = "aws-route-failure-hidden",
      .section = "§4.2",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A failed route may not be reported: a routed AWS shoot has nodes in several zones.",
      .why = "A route that fails in one zone's table does not show at the node if the last table "
             "accepted it: pods of that zone cannot reach the node, which appears healthy.",
      .remedy = "watch the logs of the aws-custom-route-controller",
      .source = "gardener/aws-custom-route-controller pkg/updater/routes.go"},
     check_last_table},
    {{.id = "routes-in-own-tables",
      .section = "§4.2",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "Pod routes are written into route tables that others manage.",
      .why = "With existing subnets Gardener tags their route tables as shared and writes a route "
             "for each node there. The routes remain as black holes when the shoot is deleted.",
      .remedy = "allow for these routes in the tool that manages the tables",
      .source = "gardener-extension-provider-aws docs/usage/bring-your-own-vpc.md"},
     check_own_tables},
    {{.id = "gcp-route-name",
      .section = "§4.3",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A routed GCP shoot has a technical ID longer than 26 characters.",
      .why = "Two shoots in one VPC whose ids begin with the same 26 characters treat each other's "
             "routes as their own.",
      .remedy = "choose a name that differs within the first 26 characters",
      .source = "kubernetes/cloud-provider-gcp providers/gce/gce_routes.go"},
     check_route_name},
    {{.id = "aws-route-controller-overwritten",
      .section = "§2.6",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "useCustomRouteController is overwritten by the overlay setting.",
      .why = "The provider's admission always sets it to the opposite of overlay.enabled and "
             "discards the user's value.",
      .remedy = "remove useCustomRouteController",
      .source = "gardener-extension-provider-aws pkg/admission/mutator/shoot.go"},
     check_custom_controller},
    {{.id = "openstack-serial-routes",
      .section = "§4.1",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "OpenStack adds pod routes slowly, one router update at a time.",
      .why = "Each route is a read and a write of the router's whole route table. Many nodes at "
             "once take long, and up to 200 concurrent calls load Neutron.",
      .remedy = "add few nodes at a time",
      .source = "kubernetes/cloud-provider-openstack issue 2089"},
     check_serial},
};

}  // namespace

std::span<const Check<LintInputs>> route_lints() {
  return kRouteLints;
}

using effective::route_count;
using effective::RouteCount;
using effective::RouteRoom;
using provider::RouteQuota;
namespace {

/// The routes of one shoot and the route quota of its table.
struct Load {
  const RouteQuota* quota = nullptr;  ///< Null if no quota applies.
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
  std::string_view hint;  ///< Hint, in which `{}` stands for the option that sets the quota.
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

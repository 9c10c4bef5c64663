#include "topologies/overlap/pairs/impact.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/ranges/sorting.h"

namespace overlane::overlap {

namespace {

using effective::Provider;

Part part_of(const Side& side) {
  return overlap::part_of(side.role, side.dataplane_mode);
}

std::string_view pod_rule(const Side& a, const Side& b, NetworkRelation network_relation) {
  const bool both = is_routed(a.dataplane_mode) && is_routed(b.dataplane_mode);
  const bool neither = is_overlay(a.dataplane_mode) && is_overlay(b.dataplane_mode);
  switch (network_relation) {
    case NetworkRelation::OneRouteTable:
      if (neither) return "overlap-hidden-by-overlay";
      return has_routes(a.dataplane_mode) && has_routes(b.dataplane_mode)
                 ? kContested
                 : "overlap-routes-capture-overlay";
    case NetworkRelation::OneNetwork:
      return both      ? "overlap-between-clusters"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-tables-of-their-own";
    case NetworkRelation::Connected:
      return "overlap-not-announced";
    case NetworkRelation::ConnectedForPods:
      return both      ? "overlap-announced-twice"
             : neither ? "overlap-hidden-by-overlay"
                       : "overlap-routes-capture-overlay";
  }
  return {};
}

/// Compares the outermost ranges across a connection and the innermost in one network: other pairs
/// repeat the same overlap. Declared ranges of a network contain its subnets.
std::string_view infrastructure_rule(const Side& a, const Side& b,
                                     NetworkRelation network_relation) {
  if (is_connected(network_relation))
    return a.outer && b.outer ? "overlap-hosts-beyond-connection" : "";
  const auto is_frame = [](const Side& side) {
    return side.role == Role::Vpc || side.role == Role::Declared;
  };
  if (is_frame(a) || is_frame(b)) return "";
  if (a.inner && b.inner) return "overlap-hosts-collide";
  return a.role == Role::Nodes && b.role == Role::Nodes ? "overlap-nodes-divided" : "";
}

/// Rule of an overlap; `a` is the side with the lower Part.
std::string_view rule_of(const Side& a, const Side& b, NetworkRelation network_relation) {
  switch (part_of(a)) {
    case Part::Pods:
      if (part_of(b) == Part::Pods) return pod_rule(a, b, network_relation);
      if (part_of(b) == Part::Services) return "overlap-services-hide-pods";
      if (!b.outer) return "";
      return has_routes(a.dataplane_mode) ? "overlap-routes-over-hosts" : "overlap-pods-hide-hosts";
    case Part::Services:
      if (part_of(b) == Part::Services) return "overlap-services-repeated";
      return b.outer ? "overlap-services-hide-hosts" : "";
    case Part::Infrastructure:
      return infrastructure_rule(a, b, network_relation);
  }
  return "";
}

}  // namespace

Side side_of(const Range& range) {
  return {range.role,  range.dataplane_mode, range.assumed,
          range.inner, range.outer,          routes_missing(range)};
}

bool needs_routes(const rules::Rule& rule) {
  return rule.id.starts_with("overlap-routes-") || rule.id == "overlap-between-clusters";
}

Part part_of(Role role, DataplaneMode dataplane_mode) {
  if (role == Role::Services) return Part::Services;
  return role == Role::Pods && dataplane_mode != DataplaneMode::ByInterface ? Part::Pods
                                                                            : Part::Infrastructure;
}

std::optional<Impact> impact_of(const Side& a, const Side& b, Relation relation,
                                Provider provider) {
  const auto rule_for = [&](NetworkRelation network_relation) {
    return part_of(b) < part_of(a) ? rule_of(b, a, network_relation)
                                   : rule_of(a, b, network_relation);
  };
  const std::string_view id = rule_for(relation.network_relation);
  if (id.empty()) return std::nullopt;
  Impact impact{.rule = &rule(id), .severity = rule(id).severity};
  // If the rule is the same in one network without the route table, the route table does not
  // matter.
  impact.sure =
      relation.sure || (relation.network_sure && rule_for(NetworkRelation::OneNetwork) == id);
  // GCP keeps the routes of both shoots, and their own nodes need none of them: the overlap affects
  // only traffic from elsewhere, as with separate route tables.
  const bool only_others_affected =
      id == kContested && provider::profile_of(provider).routes.shared.keeps_both &&
      needs_no_routes(a.dataplane_mode) && needs_no_routes(b.dataplane_mode);
  const bool waits_for_routes =
      (a.routes_missing || b.routes_missing) && needs_routes(*impact.rule);
  if (a.assumed || b.assumed || !impact.sure || only_others_affected || waits_for_routes)
    impact.severity = std::min(impact.severity, Severity::Warning);
  return impact;
}

namespace {

using provider::Consequences;

/// Where the text of a provider's profile applies.
enum class Where : std::uint8_t { Anywhere, InNetwork, InRouteTable };

struct ConsequenceRow {
  std::string_view rule;
  std::string_view text;
  std::string_view Consequences::*own = nullptr;  ///< Text of a provider's profile, which replaces
                                                  ///< `text`; null: none.
  Where where = Where::Anywhere;                  ///< Where `own` applies.
};

constexpr ConsequenceRow kConsequences[] = {
    {"overlap-routes-contested",
     "both write routes for the same pods into one route table: packets for {first} reach "
     "{second}, "
     "or are lost{spared}",
     &Consequences::routes_contested},
    {"overlap-routes-capture-overlay",
     "traffic inside each shoot works. But nodes of {overlay} treat the addresses as their own "
     "pods, "
     "so that its pods do not reach those of {routed}, and replies to pods of {overlay} that were "
     "not masqueraded go to {routed}"},
    {"overlap-hidden-by-overlay",
     "the network sees only nodes: {first} and {second} are in no conflict while the overlay stays",
     &Consequences::hidden_by_overlay, Where::InRouteTable},
    {"overlap-between-clusters",
     "each of {first} and {second} works by itself, with separate route tables; pods of one do not "
     "reach the other's, and hosts of the network reach one of the two or neither",
     &Consequences::between_clusters},
    {"overlap-tables-of-their-own",
     "the routes are only in the routed shoot's tables: {first} and {second} are in no conflict"},
    {"overlap-announced-twice",
     "the same destination is announced by {first} and by {second}: one route wins, and packets "
     "for the other's pods are misrouted"},
    {"overlap-not-announced",
     "no routes to pods cross the connection: {first} and {second} are in no conflict"},
    {"overlap-routes-over-hosts",
     "routes to pods of {first} are at least as specific as the one to addresses of {second}: "
     "packets for hosts there go to a node of {first} and are lost",
     &Consequences::routes_over_hosts, Where::InNetwork},
    {"overlap-pods-hide-hosts",
     "nodes of {first} treat addresses of {second} as their own pods, now or when they allocate "
     "such pod CIDRs, and do not masquerade packets to them: pods of {first} cannot reach these "
     "hosts, or get no replies"},
    {"overlap-services-hide-hosts",
     "nodes of {first} treat addresses of {second} as Services: if one exists, its pods answer "
     "instead of the host"},
    {"overlap-services-hide-pods",
     "clients in {second} reach Services of their own cluster, if these exist, instead of pods of "
     "{first}"},
    {"overlap-services-repeated",
     "addresses of Services are valid only on the nodes of their own cluster"},
    {"overlap-hosts-collide",
     "the network has room for one of these subnets: the infrastructure of the later of {first} "
     "and {second} fails, or machines get addresses twice",
     &Consequences::hosts_collide},
    {"overlap-nodes-divided",
     "machines of {first} and {second} get their addresses from subnets of the common range, which "
     "are disjoint or identical"},
    {"overlap-hosts-beyond-connection",
     "packets for these addresses stay on the sender's side of the connection: machines of {first} "
     "and of {second} cannot reach each other"},
    {"overlap-in-shoot",
     "on the shoot's nodes an address in both ranges has one meaning only: pods, nodes or Services "
     "there cannot be reached"},
    {"overlap-with-seed", "the VPN between seed and shoot maps both ranges"},
    {"overlap-with-seed-ipv6", "the shoot is not scheduled onto this seed: the VPN maps IPv4 only"},
    {"overlap-gardener-reserved",
     "Gardener refuses {first} when it is scheduled: the VPN uses the range for itself"},
    {"overlap-cloud-services",
     "the network extension does not masquerade packets inside the pod range of {first}, and the "
     "cloud does not reply to pod addresses: pods of {first} do not reach its services there, and "
     "CoreDNS resolves no name outside the cluster"},
    {"overlap-landscape-reserved", "{first} cannot reach what the landscape operator runs there"},
};

/// The traffic that contested routes do not affect, as an exception.
std::string spared(const RangeOwner& first, const RangeOwner& second) {
  const bool of_first = needs_no_routes(first.dataplane_mode);
  const bool of_second = needs_no_routes(second.dataplane_mode);
  if (!of_first && !of_second) return "";
  return fmt::format(", except packets between pods of {}, whose nodes need no route for them",
                     of_first && of_second ? "one shoot" : (of_first ? first : second).name);
}

/// The owners whose routes must be written before the overlap has its impact; empty if it has it
/// now.
std::string awaited_routes(const Impact& impact, const RangeOwner& first,
                           const RangeOwner& second) {
  if (!needs_routes(*impact.rule) || (!first.routes_missing && !second.routes_missing)) return "";
  const std::string owners = first.routes_missing && second.routes_missing
                                 ? fmt::format("{} or {}", first.name, second.name)
                                 : (first.routes_missing ? first : second).name;
  return fmt::format(
      "the cloud has no routes to pods of {} now (overlane explain says why); once they are "
      "written, ",
      owners);
}

}  // namespace

std::string consequence(const Impact& impact, const Relation& relation, Provider provider,
                        RangeOwner first, RangeOwner second) {
  const auto* row = std::ranges::find(kConsequences, impact.rule->id, &ConsequenceRow::rule);
  if (row == std::end(kConsequences)) return "";
  const bool own_applies =
      (row->where == Where::Anywhere || !is_connected(relation.network_relation)) &&
      (row->where != Where::InRouteTable ||
       relation.network_relation == NetworkRelation::OneRouteTable);
  const std::string_view own = row->own != nullptr && own_applies
                                   ? provider::profile_of(provider).consequences.*(row->own)
                                   : std::string_view();
  if (part_of(second.role, second.dataplane_mode) < part_of(first.role, first.dataplane_mode))
    std::swap(first, second);
  // The name of a declared range is its purpose: "data centre Frankfurt".
  for (RangeOwner* owner : {&first, &second})
    if (owner->role == Role::Declared) owner->name = '"' + owner->name + '"';
  const bool overlay_first = is_overlay(first.dataplane_mode);
  std::string text = awaited_routes(impact, first, second);
  text += fmt::format(fmt::runtime(own.empty() ? row->text : own), fmt::arg("first", first.name),
                      fmt::arg("second", second.name),
                      fmt::arg("overlay", overlay_first ? first.name : second.name),
                      fmt::arg("routed", overlay_first ? second.name : first.name),
                      fmt::arg("spared", spared(first, second)));
  if (!impact.sure)
    text += is_connected(relation.network_relation) ? ", if the connection joins their networks"
            : relation.network_sure                 ? ", if they share a table"
                                                    : ", if both are in one network";
  return text;
}

namespace {

/// Above Gardener's limits for a shoot. It bounds the list of pod CIDRs in use.
constexpr std::uint64_t kMaxNodes = 65'536;

std::uint8_t mask_of(const Shoot& shoot, const Range& range) {
  const Family family = range.cidr.is_ipv4() ? Family::Ipv4 : Family::Ipv6;
  return shoot.node_masks[static_cast<std::size_t>(family)];
}

ranges::PodCidrAllocation allocation_of(const Shoot& shoot, const Range& range) {
  ranges::PodCidrAllocation allocation{.range = range.cidr, .mask = mask_of(shoot, range)};
  const std::uint64_t pod_cidrs = ranges::pod_cidr_count(allocation.range, allocation.mask);
  if (pod_cidrs == 0) return allocation;
  for (const IpPrefix& pod_cidr : shoot.pod_cidrs)
    if (const auto index =
            ranges::pod_cidr_index(range.cidr, allocation.mask, pod_cidr.network())) {
      allocation.used.push_back(*index);
      allocation.next = (*index + 1) % pod_cidrs;
    }
  if (allocation.used.empty()) {
    const auto nodes = static_cast<std::uint64_t>(std::max<std::int64_t>(shoot.nodes.minimum, 0));
    allocation.used.resize(std::min({nodes, pod_cidrs, kMaxNodes}));
    std::iota(allocation.used.begin(), allocation.used.end(), std::uint64_t{0});
    allocation.next = allocation.used.size() % pod_cidrs;
  }
  ranges::sort_unique(allocation.used);
  return allocation;
}

}  // namespace

ranges::UntilConflict until_conflict(const Shoot& first, const Range& a, const Shoot& second,
                                     const Range& b) {
  return ranges::until_conflict(allocation_of(first, a), allocation_of(second, b));
}

ranges::UntilConflict until_conflict(const Shoot& shoot, const Range& pods, const IpPrefix& hosts) {
  const ranges::PodCidrAllocation all{.range = hosts, .mask = hosts.length(), .used = {0}};
  return ranges::until_conflict(allocation_of(shoot, pods), all);
}

bool deletes_routes_of_others(effective::Provider provider) {
  return provider::profile_of(provider).routes.shared.deletes_foreign;
}

namespace {

constexpr std::string_view kGardeners = "overlap-gardener-reserved";
constexpr std::string_view kLandscapes = "overlap-landscape-reserved";
constexpr std::string_view kClouds = "overlap-cloud-services";

Impact impact(std::string_view id, bool warning_at_most) {
  const rules::Rule& known = rule(id);
  return {&known, warning_at_most ? std::min(known.severity, Severity::Warning) : known.severity};
}

/// Node and VPC ranges may contain each other, like a VPC and its subnets; `overlane check`
/// compares the subnets of the zones. Inner ranges repeat the overlaps of outer ones. If the cloud
/// assigns pod addresses, it takes them from the node range.
bool may_overlap(const Range& a, const Range& b) {
  return a.role == b.role || (is_infrastructure(a.role) && is_infrastructure(b.role)) || !a.outer ||
         !b.outer || a.dataplane_mode == DataplaneMode::ByInterface ||
         b.dataplane_mode == DataplaneMode::ByInterface;
}

/// Gardener accepts overlaps in IPv6, and few of the addresses are in use, so they are warnings,
/// like `ipv6-ranges-overlap` of `overlane check`.
void compare_own(const Shoot& shoot, const std::function<void(const SelfOverlap&)>& visit) {
  std::vector<const Range*> reported;  // Pod and service ranges whose overlap with nodes or VPC is
                                       // reported.
  for (auto a = shoot.ranges.begin(); a != shoot.ranges.end(); ++a)
    for (auto b = a + 1; b != shoot.ranges.end(); ++b) {
      if (may_overlap(*a, *b) || !a->cidr.overlaps(b->cidr)) continue;
      const bool is_refused = !shoot.refused_by.empty() && a->cidr.is_ipv4();
      if (is_refused && (is_infrastructure(a->role) || is_infrastructure(b->role))) {
        const Range* own = is_infrastructure(a->role) ? &*b : &*a;
        if (std::ranges::find(reported, own) != reported.end()) continue;
        reported.push_back(own);
      }
      visit({*a,
             *b,
             impact("overlap-in-shoot", a->assumed || b->assumed || !a->cidr.is_ipv4()),
             true,
             {}});
    }
}

void compare_with_seed(const Shoot& shoot, const std::function<void(const SelfOverlap&)>& visit) {
  if (shoot.seed == nullptr) return;
  const manifest::SeedSpec& seed = *shoot.seed;
  const std::string owner = fmt::format("the seed {}", seed.name);
  const auto compare = [&](const manifest::Field<IpPrefix>& field, Role role) {
    if (!field) return;
    const Range other{.cidr = field->value, .role = role, .place = field->place};
    for (const Range& own : shoot.ranges)
      if (own.role <= Role::Services && own.cidr.overlaps(other.cidr))
        visit({own, other,
               impact(own.cidr.is_ipv4() ? "overlap-with-seed" : "overlap-with-seed-ipv6",
                      own.assumed),
               false, owner});
  };
  compare(seed.pods, Role::SeedPods);
  compare(seed.nodes, Role::SeedNodes);
  compare(seed.services, Role::SeedServices);
}

/// Whether a reserved range matters for a shoot's range. Gardener checks pods, nodes and services;
/// cloud services conflict with pods only.
bool concerns(const Reserved& entry, const Shoot& shoot, const Range& own) {
  if (entry.provider && *entry.provider != shoot.provider) return false;
  if (entry.rule == kClouds) return own.role == Role::Pods;
  return entry.rule == kLandscapes ? own.outer : own.role <= Role::Services;
}

void compare_with_reserved(const Shoot& shoot, const std::vector<Reserved>& reserved,
                           const std::function<void(const SelfOverlap&)>& visit) {
  for (const Reserved& entry : reserved)
    for (const Range& own : shoot.ranges)
      if (own.cidr.overlaps(entry.range.cidr) && concerns(entry, shoot, own))
        visit({own, entry.range, impact(entry.rule, own.assumed), false, entry.owner});
}

}  // namespace

std::vector<Reserved> reserved_ranges(const Inventory& inventory) {
  std::vector<Reserved> entries;
  for (const manifest::ReservedRange& known : manifest::reserved_ranges())
    entries.push_back({{.cidr = known.range, .role = Role::Reserved},
                       fmt::format("Gardener's VPN, for {}", known.purpose),
                       kGardeners,
                       {}});
  for (const provider::Profile* profile : provider::profiles())
    if (const auto& kept = profile->fabric.reserved)
      entries.push_back({{.cidr = IpPrefix::parse(kept->cidr).value(), .role = Role::Reserved},
                         std::string(kept->owner),
                         kClouds,
                         profile->provider});
  for (const IpPrefix& cidr : inventory.landscape_reserved)
    entries.push_back({{.cidr = cidr, .role = Role::Reserved}, "the landscape", kLandscapes, {}});
  for (const domains::DeclaredRange& declared : inventory.declared.reserved)
    entries.push_back({{.cidr = declared.cidr, .role = Role::Reserved, .place = declared.place},
                       declared.purpose.empty() ? "the landscape" : declared.purpose,
                       kLandscapes,
                       {}});
  return entries;
}

std::string consequence(const Shoot& shoot, const SelfOverlap& pair) {
  const std::string name = shoot.name();
  const auto owner = [](const Range& range, std::string_view of) {
    return RangeOwner{std::string(of), range.role, range.dataplane_mode};
  };
  const std::string text =
      consequence(pair.impact, {}, shoot.provider, owner(pair.own, name),
                  owner(pair.other, pair.is_own ? std::string_view(name) : pair.owner));
  if (!pair.is_own || shoot.refused_by.empty() || !pair.own.cidr.is_ipv4()) return text;
  if (shoot.stage != effective::Stage::Live)
    return fmt::format("Gardener refuses {} ({})", name, shoot.refused_by.str());
  return fmt::format("Gardener refuses every update of {} ({}), and {}", name,
                     shoot.refused_by.str(), text);
}

void compare_own_ranges(const Shoot& shoot, const std::vector<Reserved>& reserved,
                        const std::function<void(const SelfOverlap&)>& visit) {
  compare_own(shoot, visit);
  compare_with_seed(shoot, visit);
  compare_with_reserved(shoot, reserved, visit);
}

}  // namespace overlane::overlap

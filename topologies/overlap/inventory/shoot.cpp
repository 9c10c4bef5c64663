#include "topologies/overlap/inventory/shoot.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "topologies/derive/derive.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/nodes.h"
#include "topologies/provider/profile.h"

namespace overlane::overlap {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::Pods:
      return "pods";
    case Role::Nodes:
      return "nodes";
    case Role::Services:
      return "services";
    case Role::Vpc:
      return "vpc";
    case Role::Subnet:
      return "subnet";
    case Role::SeedPods:
      return "seed-pods";
    case Role::SeedNodes:
      return "seed-nodes";
    case Role::SeedServices:
      return "seed-services";
    case Role::Reserved:
      return "reserved";
    case Role::Declared:
      return "declared";
  }
  return "";
}

std::string kind_of(Role a, Role b) {
  const auto [first, second] = std::minmax(a, b);
  return fmt::format("{}-{}", to_string(first), to_string(second));
}

namespace {

using derive::Outline;
using effective::GivenRange;
using effective::Mode;
using effective::RangeRole;
using effective::RoutesBy;
using manifest::Field;
using manifest::PodNetworkSpec;

const provider::Profile& profile_for(const PodNetworkSpec& spec) {
  return provider::profile_of(spec.shoot.provider ? spec.shoot.provider->value : "");
}

Role role_of(RangeRole role) {
  switch (role) {
    case RangeRole::Pods:
      return Role::Pods;
    case RangeRole::Services:
      return Role::Services;
    case RangeRole::Nodes:
      return Role::Nodes;
  }
  return Role::Pods;
}

/// Whether nodes reach each other's pods without the route table. The routes that nodes write
/// suffice if all nodes of a shoot are in one subnet and on one link, as on OpenStack.
bool nodes_have_routes(const effective::DecidedDataplane& dataplane, const PodNetworkSpec& spec) {
  const provider::Profile& provider = profile_for(spec);
  return dataplane.is_encrypted() ||
         (dataplane.nodes_write_routes() && provider.routes.nodes_share_link &&
          provider.node_subnets.is_one(effective::has_subnets_by_zone(spec.shoot.infrastructure)));
}

/// The dataplane of one family; null if it is not known.
const effective::DecidedDataplane* dataplane_of(const Outline& outline, Family family) {
  if (!outline.network) return nullptr;
  const cni::NetworkDecision& network = *outline.network;
  if (family == outline.families.primary()) return &network.dataplane;
  return network.secondary ? &*network.secondary : nullptr;
}

/// Unknown network extensions are treated as routed, the more severe case. Pods that have no routes
/// now are also treated as routed: the next change of overlay.enabled adds the routes.
DataplaneMode dataplane_mode_of(const effective::DecidedDataplane* dataplane,
                                const PodNetworkSpec& spec) {
  if (dataplane == nullptr) return DataplaneMode::Routed;
  if (dataplane->mode.value == Mode::Overlay) return DataplaneMode::Overlay;
  if (dataplane->routes_by.value == RoutesBy::CloudInterface) return DataplaneMode::ByInterface;
  return nodes_have_routes(*dataplane, spec) ? DataplaneMode::NodesAndRoutes
                                             : DataplaneMode::Routed;
}

class Ranges {
 public:
  Ranges(const PodNetworkSpec& spec, const Outline& outline) : spec_(spec), outline_(outline) {}

  void add_networking() {
    const effective::Addressing& addressing = outline_.addressing;
    const manifest::Infrastructure& infrastructure = spec_.shoot.infrastructure;
    if (!add_given(RangeRole::Pods, infrastructure.ipv6_pods))
      add_decided(Role::Pods, addressing.pods);
    add_given(RangeRole::Nodes, infrastructure.ipv6_nodes);
    if (!add_given(RangeRole::Services, infrastructure.ipv6_services))
      add_decided(Role::Services, addressing.services);
  }

  void add_infrastructure() {
    const manifest::Infrastructure& infrastructure = spec_.shoot.infrastructure;
    add(infrastructure.network_cidr, Role::Vpc);
    add(infrastructure.workers_cidr, Role::Subnet);
    add(infrastructure.internal_cidr, Role::Subnet);
    for (const manifest::InfrastructureZone& zone : infrastructure.zones) {
      add(zone.workers, Role::Subnet);
      add(zone.internal, Role::Subnet);
      add(zone.public_subnet, Role::Subnet);
    }
    for (const manifest::ObservedSubnet& subnet : infrastructure.observed.subnets)
      add(subnet.cidr, Role::Subnet);
  }

  /// A shoot without node range and subnets gets the default node range.
  void add_assumed_nodes() {
    const bool ipv4 = outline_.families.primary() == Family::Ipv4;
    const auto is_node_range = [&](const Range& range) {
      return is_infrastructure(range.role) && range.cidr.is_ipv4() == ipv4;
    };
    if (std::ranges::none_of(ranges_, is_node_range))
      add_decided(Role::Nodes, outline_.addressing.nodes);
  }

  std::vector<Range> take() {
    for (Range& a : ranges_)
      for (const Range& b : ranges_) {
        if (&a == &b || !is_infrastructure(a.role) || !is_infrastructure(b.role)) continue;
        if (a.cidr.contains(b.cidr)) a.inner = false;
        if (b.cidr.contains(a.cidr)) a.outer = false;
      }
    ranges_.shrink_to_fit();
    return std::move(ranges_);
  }

 private:
  /// Returns false if there are none. Until the status has the IPv6 range, only the infrastructure
  /// has it.
  bool add_given(RangeRole role, const Field<IpPrefix>& ipv6) {
    bool has_any = false;
    bool has_ipv6 = !outline_.families.has(Family::Ipv6);
    for (const GivenRange& given : outline_.addressing.given) {
      if (given.role != role) continue;
      add({given.value(), role_of(role), DataplaneMode::None, false, true, true, given.given->place,
           given.given->path.within_object()});
      has_any = true;
      has_ipv6 = has_ipv6 || !given.value().is_ipv4();
    }
    if (!has_ipv6) add(ipv6, role_of(role));
    return has_any;
  }

  void add(Range range) {
    if (range.role == Role::Pods) {
      const effective::DecidedDataplane* dataplane =
          dataplane_of(outline_, range.cidr.is_ipv4() ? Family::Ipv4 : Family::Ipv6);
      range.dataplane_mode = dataplane_mode_of(dataplane, spec_);
      range.cloud_routes =
          dataplane != nullptr ? dataplane->cloud_routes.value : effective::CloudRoutes::Written;
      range.assumed = range.assumed || !outline_.network;
    }
    // The cloud reports the range of the whole VPC or subnet, which other shoots share and which
    // includes the services. It assigns each address only once.
    if (!range.cidr.is_ipv4() && profile_for(spec_).routes.ipv6_delegation)
      range.inner = range.outer = false;
    const auto same = [&](const Range& known) {
      return known.cidr == range.cidr &&
             (known.role == range.role ||
              (is_infrastructure(known.role) && is_infrastructure(range.role)));
    };
    if (std::ranges::none_of(ranges_, same)) ranges_.push_back(std::move(range));
  }

  void add(const Field<IpPrefix>& field, Role role) {
    if (field)
      add({field->value, role, DataplaneMode::None, false, true, true, field->place,
           field->path.within_object()});
  }

  void add_decided(Role role, const effective::Decided<std::vector<IpPrefix>>& decided) {
    for (const IpPrefix& cidr : decided.value)
      add({cidr, role, DataplaneMode::None, decided.basis.assumed, true, true, spec_.place,
           decided.basis.because.to_string()});
  }

  const PodNetworkSpec& spec_;
  const Outline& outline_;
  std::vector<Range> ranges_;
};

std::vector<std::string> given_subnets(const manifest::Infrastructure& infrastructure) {
  std::vector<std::string> subnets;
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (zone.workers_subnet_id) subnets.push_back(zone.workers_subnet_id->value);
  if (infrastructure.subnet_name) subnets.push_back(infrastructure.subnet_name->value);
  return subnets;
}

/// The node subnets of an InfrastructureStatus: existing ones and those created by Gardener.
void add_observed_subnets(const manifest::Infrastructure& infrastructure,
                          std::vector<std::string>& subnets) {
  for (const manifest::ObservedSubnet& subnet : infrastructure.observed.subnets)
    if (subnet.purpose == manifest::kNodesPurpose &&
        std::ranges::find(subnets, subnet.id) == subnets.end())
      subnets.push_back(subnet.id);
}

RouteTableScope route_table_of(const provider::Profile& provider,
                               const effective::RoutingDomain& domain, bool own_subnets) {
  using Scope = effective::RoutingDomain::Scope;
  if (provider.routes.pods != provider::PodPath::RouteTable || !provider.is_known())
    return RouteTableScope::None;
  if (domain.scope != Scope::Table) return RouteTableScope::Network;
  return own_subnets ? RouteTableScope::Own : RouteTableScope::BySubnet;
}

/// Gardener deletes all nodes, waits until none is left, and then stops the control plane with its
/// route controller (gardener/gardener pkg/gardenlet/operation/botanist, HibernateControlPlane).
/// While a shoot falls asleep or wakes up, it has nodes.
bool is_hibernated(const manifest::ShootSpec& shoot) {
  if (!shoot.hibernation && !shoot.hibernated) return false;
  return (!shoot.hibernation || shoot.hibernation->value) &&
         (!shoot.hibernated || shoot.hibernated->value);
}

NetworkIdentity identify(const PodNetworkSpec& spec, const Outline& outline) {
  const provider::Profile& provider = profile_for(spec);
  const effective::RoutingDomain& domain = outline.routing_domain.value;
  NetworkIdentity identity{
      .key = document::one_line(domain.key),
      .shared = domain.sharing != effective::RoutingDomain::Sharing::None,
      .id_is_unique = provider.fabric.network_id_is_unique || !provider.fabric.one_network.empty(),
      .place = spec.place};
  const manifest::Infrastructure& infrastructure = spec.shoot.infrastructure;
  if (const auto& id = infrastructure.network_id ? infrastructure.network_id
                                                 : infrastructure.observed.network_id)
    identity.place = id->place;
  if (identity.shared && spec.shoot.credentials)
    identity.credentials =
        document::one_line(spec.object.namespace_ + '/' + spec.shoot.credentials->value);
  return identity;
}

bool are_in_conflict(const Range& a, const Range& b) {
  return a.role != b.role && a.cidr.is_ipv4() && a.cidr.overlaps(b.cidr);
}

/// Validates the shoot only if its ranges overlap, which is rare.
Interned refusal_of(const std::vector<Range>& ranges, const PodNetworkSpec& spec,
                    const derive::DeriveOptions& options) {
  constexpr std::string_view kShootRules[] = {"ranges-overlap", "ranges-overlap-network",
                                              "ranges-overlap-subnets", "internal-range-overlaps"};
  const auto overlaps_others = [&](const Range& own) {
    return !is_infrastructure(own.role) && std::ranges::any_of(ranges, [&](const Range& other) {
      return are_in_conflict(own, other);
    });
  };
  if (std::ranges::none_of(ranges, overlaps_others)) return {};
  const Findings findings = derive::examine(spec, options).findings;
  for (const std::string_view rule : kShootRules)
    if (std::ranges::find(findings, rule, &Finding::rule) != findings.end()) return rule;
  return {};
}

}  // namespace

std::string Shoot::name() const {
  return landscape.empty() ? object.qualified() : landscape + ':' + object.qualified();
}

std::string Shoot::technical_id() const {
  if (!observed_id.empty()) return observed_id;
  // Gardener builds it from the project and the name; the namespace is garden-<project>
  // (gardener/gardener pkg/utils/gardener/shoot.go).
  std::string_view project = object.namespace_;
  constexpr std::string_view kPrefix = "garden-";
  if (project.starts_with(kPrefix)) project.remove_prefix(kPrefix.size());
  return fmt::format("shoot--{}--{}", project, object.name);
}

Shoot describe_shoot(const PodNetworkSpec& spec, const derive::DeriveOptions& options,
                     Findings& findings) {
  const Outline outline = derive::outline(spec, options);
  for (Finding error : outline.config_errors) {
    error.message += "; until this is fixed, overlap treats the shoot's pods as routed";
    findings.push_back(std::move(error));
  }
  const manifest::Infrastructure& infrastructure = spec.shoot.infrastructure;
  Shoot shoot{.object = spec.object,
              .place = spec.place,
              .stage = outline.stage,
              .hibernated = is_hibernated(spec.shoot),
              .provider = outline.provider,
              .network = identify(spec, outline),
              .subnets = given_subnets(infrastructure),
              .observed_id = spec.shoot.technical_id ? spec.shoot.technical_id->value : "",
              .seed = spec.seed};
  for (const manifest::Source& source : spec.sources)
    if (source.place != spec.place) shoot.more_sources.push_back(source.place);
  const bool has_given_subnets = !shoot.subnets.empty();
  shoot.route_table =
      route_table_of(profile_for(spec), outline.routing_domain.value, !has_given_subnets);
  const auto writes = [&](Family family) {
    if (!outline.families.has(family)) return false;
    const effective::DecidedDataplane* dataplane = dataplane_of(outline, family);
    return dataplane == nullptr || dataplane->cloud_routes.value == effective::CloudRoutes::Written;
  };
  shoot.routes_per_node = provider::profile_of(shoot.provider)
                              .routes.of_node(writes(Family::Ipv4), writes(Family::Ipv6));
  shoot.other_routes = static_cast<std::int64_t>(infrastructure.gateway_endpoints.size());
  add_observed_subnets(infrastructure, shoot.subnets);
  Ranges ranges(spec, outline);
  ranges.add_networking();
  ranges.add_infrastructure();
  ranges.add_assumed_nodes();
  shoot.ranges = ranges.take();
  shoot.refused_by = refusal_of(shoot.ranges, spec, options);
  if (shoot.route_table == RouteTableScope::Network)
    for (Range& range : shoot.ranges)
      if (range.dataplane_mode == DataplaneMode::Overlay &&
          range.cloud_routes == effective::CloudRoutes::Written)
        range.dataplane_mode = DataplaneMode::OverlayAndRoutes;
  if (has_given_subnets)  // Manifests do not contain the subnets' ranges, but machines get
                          // addresses there.
    for (Range& range : shoot.ranges)
      range.inner = range.inner && range.role != Role::Nodes;
  for (const manifest::WorkerPool& pool : spec.shoot.workers) {
    shoot.nodes.waking += pool.minimum;
    shoot.nodes.maximum += pool.maximum;
  }
  if (!shoot.hibernated) shoot.nodes.minimum = shoot.nodes.waking;
  const auto ipv6_mask = spec.shoot.node_cidr_mask_size_ipv6;
  const auto mask = static_cast<std::uint8_t>(outline.addressing.node_cidr_mask_size.value);
  shoot.node_masks = {mask,
                      outline.families.has(Family::Ipv4)
                          ? static_cast<std::uint8_t>(ipv6_mask ? ipv6_mask->value
                                                                : effective::kDefaultNodeMaskIpv6)
                          : mask};
  return shoot;
}

}  // namespace overlane::overlap

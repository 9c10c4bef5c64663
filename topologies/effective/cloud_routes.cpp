#include "topologies/effective/cloud_routes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dataplane/wire/ip.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/nodes.h"

namespace overlane::effective {
namespace {

/// Towards which nodes pods need the cloud's routes.
enum class Need { No, AllNodes, OtherSubnets };

/// Towards which nodes pods need the cloud's routes. WireGuard needs none, because it tunnels pods'
/// packets. If nodes write their own routes, fabrics that know pods by BGP or by interface need no
/// others.
Need need_of(const NetworkInputs& inputs, Family family, const Dataplane& dataplane) {
  if (dataplane.mode != Mode::Routed || dataplane.is_encrypted()) return Need::No;
  if (dataplane.routes_by == RoutesBy::CloudRouteTable) return Need::AllNodes;
  if (!dataplane.nodes_write_routes()) return Need::No;
  const RoutesBy native = native_routes(inputs.provider, inputs.families, family);
  if (native == RoutesBy::Bgp || native == RoutesBy::CloudInterface) return Need::No;
  if (!inputs.provider.fabric.honours_next_hop) return Need::AllNodes;
  return count_node_subnets(inputs) > 1 ? Need::OtherSubnets : Need::No;
}

/// Whether the provider's route controller writes routes for this shoot, and if not, why.
struct Writer {
  bool writes = false;
  RouteGap gap = RouteGap::None;
  Provenance basis;
};

Writer by_overlay(const NetworkInputs& inputs) {
  const provider::Profile& profile = inputs.provider;
  const OverlayDecision& overlay = inputs.overlay;
  if (!overlay.enabled)
    return {false,
            RouteGap::OverlayKey,
            {fmt::format("without the key overlay.enabled provider {} treats the overlay as on and "
                         "writes no routes",
                         profile.name),
             profile.routes.controller}};
  return {!*overlay.enabled,
          RouteGap::OverlayKey,
          {fmt::format("overlay.enabled is {}, so the route controller of provider {} {}",
                       *overlay.enabled, profile.name, *overlay.enabled ? "is off" : "runs"),
           profile.routes.controller, overlay.basis.assumed}};
}

/// For providers that leave routes to BGP if calico's backend is bird, even where the extension
/// does not start BIRD because createPodRoutes is off. Nothing for other shoots.
std::optional<Writer> off_with_bird(const NetworkInputs& inputs) {
  const provider::Profile& profile = inputs.provider;
  if (profile.routes.off_with_bird.empty()) return std::nullopt;
  const auto backend = manifest::calico_backend_of(inputs.spec);
  if (!backend || backend->value != "bird") return std::nullopt;
  return Writer{
      false,
      RouteGap::BirdBackend,
      {fmt::format("{} is bird, so provider {} leaves routes to BGP between the nodes and "
                   "its route controller is off",
                   backend->path, profile.name),
       profile.routes.off_with_bird}};
}

std::optional<Writer> off_with_manager(const NetworkInputs& inputs) {
  const provider::Profile& profile = inputs.provider;
  const auto& choice = profile.routes.manager_choice;
  if (!choice) return std::nullopt;
  const manifest::ControlPlane& control_plane = inputs.spec.shoot.control_plane;
  const auto& named = control_plane.cloud_controller_manager;
  if ((named ? std::string_view(named->value) : choice->preset) == choice->with_routes)
    return std::nullopt;
  const std::string because =
      named ? fmt::format("{} is {}", named->path, named->value)
      : control_plane.given
          ? fmt::format("{} names no cloud controller manager, which means {}",
                        control_plane.given->value, choice->preset)
          : fmt::format("no document names a cloud controller manager, which means {}",
                        choice->preset);
  return Writer{false,
                RouteGap::CloudManager,
                {fmt::format("{}, and only {} has a route controller on provider {}", because,
                             choice->with_routes, profile.name),
                 choice->source, !named}};
}

/// For providers whose controlPlaneConfig switches the route controller. The stored value of a live
/// object decides, not the value that admission would write. A live Shoot without a
/// controlPlaneConfig does not show the value, so the result is assumed.
Writer by_control_plane(const NetworkInputs& inputs) {
  const manifest::ControlPlane& stored = inputs.spec.shoot.control_plane;
  if (inputs.admission_runs()) return by_overlay(inputs);
  if (!stored.given) {
    Writer writer = by_overlay(inputs);
    writer.basis.because += "; no document shows useCustomRouteController, which decides";
    writer.basis.assumed = true;
    return writer;
  }
  if (const auto& switched = stored.custom_route_controller)
    return {switched->value,
            RouteGap::RouteController,
            {fmt::format("{} is {} in the live object, so the route controller of provider {} {}",
                         switched->path, switched->value, inputs.provider.name,
                         switched->value ? "runs" : "does not run"),
             switched->place}};
  return {false,
          RouteGap::RouteController,
          {fmt::format("{} does not set useCustomRouteController, so the route controller of "
                       "provider {} does not run",
                       stored.given->value, inputs.provider.name),
           stored.given->place}};
}

/// Whether the range's first address is private (RFC 1918, RFC 4193), as Go's net.IP.IsPrivate
/// decides.
bool is_private(const IpPrefix& range) {
  static const std::array kPrivate = {
      IpPrefix::parse("10.0.0.0/8").value(), IpPrefix::parse("172.16.0.0/12").value(),
      IpPrefix::parse("192.168.0.0/16").value(), IpPrefix::parse("fc00::/7").value()};
  const IpPrefix first = IpPrefix::containing(range.network(), range.is_ipv4() ? 32 : 128);
  return std::ranges::any_of(kPrivate, [&](const IpPrefix& one) { return one.contains(first); });
}

/// The workers' subnet that contains the whole pod range, in a network that refuses routes into its
/// subnets; null if there is none. A partial overlap does not count: it concerns only some nodes.
const manifest::Located<IpPrefix>* subnet_around(const NetworkInputs& inputs,
                                                 const IpPrefix& pods) {
  if (!inputs.provider.fabric.protects_subnets) return nullptr;
  const manifest::Infrastructure& infrastructure = inputs.spec.shoot.infrastructure;
  const auto holds = [&](const manifest::Field<IpPrefix>& subnet) {
    return subnet && subnet->value.contains(pods);
  };
  if (holds(infrastructure.workers_cidr)) return &*infrastructure.workers_cidr;
  for (const manifest::InfrastructureZone& zone : infrastructure.zones)
    if (holds(zone.workers)) return &*zone.workers;
  return nullptr;
}

/// Why the pod range gets no routes although the controller runs; nothing if it gets routes.
std::optional<Writer> refused_range(const NetworkInputs& inputs, Family family) {
  const auto& ranges = inputs.addressing.pods;
  const auto pods = std::ranges::find(ranges.value, family == Family::Ipv4, &IpPrefix::is_ipv4);
  if (pods == ranges.value.end()) return std::nullopt;
  const sources::Citation source = inputs.provider.routes.private_pods_only;
  if (!source.empty() && !is_private(*pods))
    return Writer{false,
                  RouteGap::PodRange,
                  {fmt::format("provider {} configures routes only for private pod ranges (RFC "
                               "1918), and pods {} are none: its cloud controller manager runs "
                               "without routes",
                               inputs.provider.name, pods->to_string()),
                   source, ranges.basis.assumed}};
  if (const auto* subnet = subnet_around(inputs, *pods))
    return Writer{false,
                  RouteGap::PodsInSubnet,
                  {fmt::format("the network of provider {} refuses routes into a subnet, and pods "
                               "{} lie in {} {}",
                               inputs.provider.name, pods->to_string(), subnet->path,
                               subnet->value.to_string()),
                   subnet->place, ranges.basis.assumed}};
  return std::nullopt;
}

Writer writer_of(const NetworkInputs& inputs, Family family) {
  const provider::Profile& profile = inputs.provider;
  switch (native_routes(profile, inputs.families, family)) {
    case RoutesBy::CloudRouteTable:
      break;
    case RoutesBy::CloudInterface:
      return {false,
              RouteGap::NoController,
              {fmt::format("provider {} gives pod ranges to the nodes' network interfaces",
                           profile.name),
               profile.routes.controller}};
    case RoutesBy::Bgp:
      return {false,
              RouteGap::NoController,
              {fmt::format("on provider {} nodes announce their pod CIDRs by BGP", profile.name),
               profile.routes.controller}};
    case RoutesBy::Felix:
    case RoutesBy::Cilium:
    case RoutesBy::DirectNodeRoutes:
    case RoutesBy::None:
      return {false,
              RouteGap::NoController,
              {fmt::format("provider {} has no route controller", profile.name),
               profile.routes.controller}};
  }
  Writer writer;
  const auto& own_subnet = inputs.spec.shoot.infrastructure.subnet_name;
  if (!profile.routes.off_in_own_subnet.empty() && own_subnet && inputs.overlay.enabled == true)
    writer = {false,
              RouteGap::OverlayKey,
              {fmt::format("with an overlay in the existing subnet {} provider {} runs no route "
                           "controller",
                           own_subnet->value, profile.name),
               profile.routes.off_in_own_subnet, true}};
  else if (profile.routes.switched_by_control_plane)
    writer = by_control_plane(inputs);
  else if (profile.routes.follow_overlay)
    writer = by_overlay(inputs);
  else
    writer = {true,
              RouteGap::None,
              {fmt::format("the route controller of provider {} runs with and without overlay",
                           profile.name),
               profile.routes.controller}};
  using Condition = std::optional<Writer> (*)(const NetworkInputs&);
  for (const Condition condition : {&off_with_bird, &off_with_manager})
    if (writer.writes)
      if (auto off = condition(inputs)) writer = *std::move(off);
  if (writer.writes)
    if (auto refused = refused_range(inputs, family)) writer = *std::move(refused);
  return writer;
}

/// "nodes of 2 subnets have no route to each other's pods: …".
LazyText between_subnets(std::size_t subnets, const LazyText& why) {
  return fmt::format(
      "nodes of {} subnets have no route to each other's pods: the nodes' own routes end at their "
      "subnet, and {}",
      subnets, why.to_string());
}

/// The decision for an unknown provider: its controller is assumed to write the routes that pods
/// need, except routes to other subnets if nodes write their own routes, which is a setting for
/// networks without a controller.
CloudRouteDecision for_unknown_provider(const NetworkInputs& inputs, Need need) {
  if (need == Need::OtherSubnets)
    return {CloudRoutes::NotWritten, RouteGap::BetweenSubnets,
            as_assumed(between_subnets(count_node_subnets(inputs),
                                       "nothing is known of the provider that writes others"),
                       inputs.spec.place)};
  return {need == Need::No ? CloudRoutes::NotNeeded : CloudRoutes::Written, RouteGap::None,
          as_assumed("nothing is known of the provider; routes are taken to be written where pods "
                     "need them",
                     inputs.spec.place)};
}

bool has_cloud_routes(const EffectiveDataplane& shoot, Family family) {
  const Dataplane* dataplane = shoot.dataplane_of(family);
  return dataplane != nullptr && dataplane->cloud_routes == CloudRoutes::Written;
}

}  // namespace

std::string_view rule_of(RouteGap gap) {
  switch (gap) {
    case RouteGap::PodsInSubnet:
      return "route-hides-subnet";
    case RouteGap::BetweenSubnets:
      return "no-route-between-subnets";
    case RouteGap::OverlayKey:
    case RouteGap::RouteController:
    case RouteGap::BirdBackend:
    case RouteGap::CloudManager:
    case RouteGap::PodRange:
    case RouteGap::NoController:
      return "routed-without-cloud-routes";
    case RouteGap::None:
      break;
  }
  return "";
}

std::string_view rule_of(AddressGap gap) {
  switch (gap) {
    case AddressGap::LeftOverVxlan:
      return "vxlan-left-over";
    case AddressGap::CalicoIpam:
      return "calico-ipam-without-overlay";
    case AddressGap::SharedRange:
      return "ipam-cidr-shared-by-nodes";
    case AddressGap::None:
      break;
  }
  return "";
}

std::string_view in_words(AddressGap gap) {
  switch (gap) {
    case AddressGap::LeftOverVxlan:
      return "vxlan.enabled selects calico-ipam, which allocates addresses that the network's "
             "routes do not cover";
    case AddressGap::CalicoIpam:
      return "calico-ipam allocates addresses that the network's routes do not cover";
    case AddressGap::SharedRange:
      return "all nodes allocate addresses from one ipam.cidr, and no route leads to them";
    case AddressGap::None:
      break;
  }
  return "";
}

const Finding* finding_about_addresses(const EffectiveDataplane& network) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const Dataplane* dataplane = network.opaque ? nullptr : network.dataplane_of(family);
    if (dataplane == nullptr || dataplane->address_gap == AddressGap::None) continue;
    const auto found =
        std::ranges::find(network.findings, rule_of(dataplane->address_gap), &Finding::rule);
    if (found != network.findings.end()) return &*found;
  }
  return nullptr;
}

bool drops_tunnel(const provider::Profile& provider, const Dataplane& dataplane) {
  return dataplane.encapsulation == Encapsulation::Ipip && !dataplane.is_encrypted() &&
         std::ranges::find(provider.fabric.dropped_protocols, wire::kIpv4InIp) !=
             provider.fabric.dropped_protocols.end();
}

bool has_unreachable_routes(const provider::Profile& provider, const Dataplane& dataplane) {
  return dataplane.mode == Mode::Routed && !dataplane.is_encrypted() &&
         dataplane.backend == Backend::Bird && provider.machines.host_addresses;
}

bool shows_pod_sources(const provider::Profile& provider, const Dataplane& dataplane) {
  return provider.fabric.allows_pod_range_only && !dataplane.is_encrypted() &&
         (dataplane.mode == Mode::Routed || dataplane.cross_subnet);
}

bool drops_pod_sources(const EffectiveDataplane& network, const Dataplane& dataplane) {
  return network.ovn == true &&
         shows_pod_sources(provider::profile_of(network.provider), dataplane);
}

std::string condition_of_reach(const EffectiveDataplane& network, const Dataplane& dataplane) {
  const provider::Profile& provider = provider::profile_of(network.provider);
  if (network.opaque || provider.is_known() || dataplane.cloud_routes != CloudRoutes::Written)
    return "";
  return network.provider_name.empty()
             ? "if the provider, which no document names, writes routes to the nodes' pods"
             : fmt::format(
                   "if provider {} writes routes to the nodes' pods: nothing is known of it",
                   document::one_line(network.provider_name));
}

std::string condition_of_storage(const EffectiveDataplane& network) {
  if (!network.unadmitted) return "";
  return fmt::format(
      "if this file is the object as the garden stores it, although admission would change {}; "
      "for an edit that is not applied yet, use --patch on the stored file, or check --update",
      network.unadmitted->changes);
}

PodReach pod_reach(const EffectiveDataplane& network, const Dataplane& dataplane) {
  const provider::Profile& provider = provider::profile_of(network.provider);
  if (dataplane.address_gap == AddressGap::SharedRange) return PodReach::NoOtherNode;
  // OpenStack has one subnet for all nodes, so that CrossSubnet encapsulates nothing.
  if (drops_pod_sources(network, dataplane)) return PodReach::NoOtherNode;
  if (drops_tunnel(provider, dataplane))
    return dataplane.cross_subnet && !provider.machines.host_addresses ? PodReach::OwnSubnet
                                                                       : PodReach::NoOtherNode;
  if (has_unreachable_routes(provider, dataplane)) return PodReach::NoOtherNode;
  // BIRD writes routes to calico-ipam's blocks, which lead to nodes of the same subnet.
  if (dataplane.address_gap != AddressGap::None)
    return dataplane.nodes_write_routes() && provider.fabric.honours_next_hop
               ? PodReach::OwnSubnet
               : PodReach::NoOtherNode;
  if (dataplane.mode == Mode::Routed && dataplane.routes_by == RoutesBy::None)
    return PodReach::NoOtherNode;
  if (dataplane.route_gap == RouteGap::BetweenSubnets) return PodReach::OwnSubnet;
  return dataplane.cloud_routes == CloudRoutes::NotWritten ? PodReach::NoOtherNode
                                                           : PodReach::AllNodes;
}

bool needs_cloud_routes(const NetworkInputs& inputs, Family family, const Dataplane& dataplane) {
  return need_of(inputs, family, dataplane) != Need::No;
}

std::size_t count_node_subnets(const NetworkInputs& inputs) {
  if (inputs.provider.node_subnets.is_one(has_subnets_by_zone(inputs.spec.shoot.infrastructure)))
    return 1;
  std::set<std::string_view> zones;
  for (const manifest::WorkerPool& pool : inputs.spec.shoot.workers)
    zones.insert(pool.zones.begin(), pool.zones.end());
  return std::max<std::size_t>(zones.size(), 1);
}

RoutesBy native_routes(const provider::Profile& provider, const Families& families, Family family) {
  const bool by_interface = family == Family::Ipv6 ? provider.routes.ipv6_delegation.has_value()
                                                   : provider.routes.dual_stack_by_interface &&
                                                         families.infrastructure_is_dual_stack();
  if (by_interface) return RoutesBy::CloudInterface;
  switch (provider.routes.pods) {
    case provider::PodPath::RouteTable:
      return RoutesBy::CloudRouteTable;
    case provider::PodPath::Bgp:
      return RoutesBy::Bgp;
    case provider::PodPath::None:
      break;
  }
  return RoutesBy::None;
}

CloudRouteDecision decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                       const Dataplane& dataplane) {
  const Need need = need_of(inputs, family, dataplane);
  const RoutesBy native = native_routes(inputs.provider, inputs.families, family);
  if (!inputs.provider.is_known() && native == RoutesBy::CloudRouteTable)
    return for_unknown_provider(inputs, need);
  Writer writer = writer_of(inputs, family);
  if (writer.writes) return {CloudRoutes::Written, RouteGap::None, std::move(writer.basis)};
  switch (need) {
    case Need::No:
      return {CloudRoutes::NotNeeded, RouteGap::None, std::move(writer.basis)};
    case Need::AllNodes:
      return {CloudRoutes::NotWritten, writer.gap, std::move(writer.basis)};
    case Need::OtherSubnets:
      writer.basis.because = between_subnets(count_node_subnets(inputs), writer.basis.because);
      return {CloudRoutes::NotWritten, RouteGap::BetweenSubnets, std::move(writer.basis)};
  }
  return {};
}

RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set) {
  if (const auto own = set.find(provider); own != set.end())
    return {.routes = own->second,
            .source = "the landscape's operator: as the settings say",
            .is_set = true};
  const auto& quota = provider::profile_of(provider).routes.quota;
  if (!quota || quota->usual == 0) return {};
  return {.routes = quota->usual, .source = quota->source};
}

bool has_cloud_routes(const EffectiveDataplane& shoot) {
  return !shoot.opaque &&
         (has_cloud_routes(shoot, Family::Ipv4) || has_cloud_routes(shoot, Family::Ipv6));
}

RouteCount route_count(const EffectiveDataplane& shoot) {
  const provider::Routes& routes = provider::profile_of(shoot.provider).routes;
  const std::int64_t own = routes.quota ? routes.quota->own_routes : 0;
  return {.others = own + shoot.gateway_endpoints,
          .per_node = routes.of_node(has_cloud_routes(shoot, Family::Ipv4),
                                     has_cloud_routes(shoot, Family::Ipv6))};
}

}  // namespace overlane::effective

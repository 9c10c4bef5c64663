#include "topologies/effective/cloud_routes.h"

#include <fmt/format.h>

namespace overlane::effective {
namespace {

/// WireGuard tunnels pods' packets between nodes.
bool needs_cloud_routes(const Dataplane& dataplane) {
  return dataplane.mode == Mode::Routed && dataplane.routes_by == RoutesBy::CloudRouteTable &&
         !dataplane.is_encrypted();
}

/// Whether the provider's route controller writes routes for this shoot.
Decided<bool> controller_writes(const NetworkInputs& inputs) {
  const provider::Profile& profile = inputs.provider;
  if (!profile.routes.follow_overlay)
    return {true,
            {fmt::format("the route controller of provider {} runs with and without overlay",
                         profile.name),
             profile.routes.controller}};
  const OverlayDecision& overlay = inputs.overlay;
  if (!overlay.enabled)
    return {false,
            {fmt::format("without the key overlay.enabled provider {} treats the overlay as on and "
                         "writes no routes",
                         profile.name),
             profile.routes.controller}};
  return {!*overlay.enabled,
          {fmt::format("overlay.enabled is {}, so the route controller of provider {} {}",
                       *overlay.enabled, profile.name, *overlay.enabled ? "is off" : "runs"),
           profile.routes.controller, overlay.basis.assumed}};
}

}  // namespace

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

Decided<CloudRoutes> decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                         const Dataplane* dataplane) {
  const provider::Profile& profile = inputs.provider;
  const bool needed = dataplane != nullptr && needs_cloud_routes(*dataplane);
  const CloudRoutes unwritten = needed ? CloudRoutes::NotWritten : CloudRoutes::NotNeeded;
  switch (native_routes(profile, inputs.families, family)) {
    case RoutesBy::CloudRouteTable:
      break;
    case RoutesBy::CloudInterface:
      return {unwritten,
              {fmt::format("provider {} gives pod ranges to the nodes' network interfaces",
                           profile.name),
               profile.routes.controller}};
    case RoutesBy::Bgp:
      return {unwritten,
              {fmt::format("on provider {} nodes announce their pod CIDRs by BGP", profile.name),
               profile.routes.controller}};
    case RoutesBy::Felix:
    case RoutesBy::Cilium:
    case RoutesBy::DirectNodeRoutes:
    case RoutesBy::None:
      return {unwritten,
              {fmt::format("provider {} has no route controller", profile.name),
               profile.routes.controller}};
  }
  if (!profile.is_known())
    return {
        needed ? CloudRoutes::Written : CloudRoutes::NotNeeded,
        as_assumed("nothing is known of the provider; routes are taken to be written where pods "
                   "need them",
                   inputs.spec.place)};
  const Decided<bool> writes = controller_writes(inputs);
  return {writes.value ? CloudRoutes::Written : unwritten, writes.basis};
}

}  // namespace overlane::effective

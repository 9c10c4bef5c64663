#include "topologies/effective/cloud_routes.h"

#include <fmt/format.h>

namespace overlane::effective {
namespace {

/// WireGuard carries pods' packets from node to node.
bool needs_cloud_routes(const Dataplane& dataplane) {
  return dataplane.mode == Mode::Routed && dataplane.routes_by == RoutesBy::CloudRouteTable &&
         !dataplane.is_encrypted();
}

/// The provider's route controller as it is configured for this shoot.
Decided<bool> controller_writes(const NetworkInputs& inputs) {
  const ProviderRules& rules = inputs.rules;
  if (!rules.routes_follow_overlay)
    return {true,
            {fmt::format("the route controller of provider {} runs with and without overlay",
                         rules.name),
             rules.route_controller}};
  const OverlayDecision& overlay = inputs.overlay;
  if (!overlay.enabled)
    return {false,
            {fmt::format("without the key overlay.enabled provider {} treats the overlay as on and "
                         "writes no routes",
                         rules.name),
             rules.route_controller}};
  return {!*overlay.enabled,
          {fmt::format("overlay.enabled is {}, so the route controller of provider {} {}",
                       *overlay.enabled, rules.name, *overlay.enabled ? "is off" : "runs"),
           rules.route_controller, overlay.basis.assumed}};
}

}  // namespace

Decided<CloudRoutes> decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                         const Dataplane* dataplane) {
  const ProviderRules& rules = inputs.rules;
  const bool needed = dataplane != nullptr && needs_cloud_routes(*dataplane);
  const CloudRoutes unwritten = needed ? CloudRoutes::NotWritten : CloudRoutes::NotNeeded;
  switch (native_routes(rules, inputs.families, family)) {
    case RoutesBy::CloudRouteTable:
      break;
    case RoutesBy::CloudInterface:
      return {
          unwritten,
          {fmt::format("provider {} gives pod ranges to the nodes' network interfaces", rules.name),
           rules.route_controller}};
    case RoutesBy::Bgp:
      return {unwritten,
              {fmt::format("on provider {} nodes announce their pod CIDRs by BGP", rules.name),
               rules.route_controller}};
    case RoutesBy::Felix:
    case RoutesBy::Cilium:
    case RoutesBy::DirectNodeRoutes:
    case RoutesBy::None:
      return {
          unwritten,
          {fmt::format("provider {} has no route controller", rules.name), rules.route_controller}};
  }
  if (rules.provider == Provider::Other)
    return {
        needed ? CloudRoutes::Written : CloudRoutes::NotNeeded,
        as_assumed("nothing is known of the provider; routes are taken to be written where pods "
                   "need them",
                   inputs.spec.place)};
  const Decided<bool> writes = controller_writes(inputs);
  return {writes.value ? CloudRoutes::Written : unwritten, writes.basis};
}

}  // namespace overlane::effective

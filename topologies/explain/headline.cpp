#include "topologies/explain/headline.h"

#include <algorithm>

#include <fmt/format.h>

#include "topologies/document/tree/source_text.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::explain {
namespace {

using document::one_line;
using effective::AddressGap;
using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Mode;
using effective::PodReach;

std::string_view to_string(PodReach reach) {
  switch (reach) {
    case PodReach::AllNodes:
      return "all-nodes";
    case PodReach::OwnSubnet:
      return "own-subnet";
    case PodReach::NoOtherNode:
      return "no-other-node";
  }
  return "";
}

/// "with packets of up to 8981 bytes", and what of them does not fit the link.
std::string packet_size(const Headline& headline) {
  std::string text = fmt::format("with packets of up to {} bytes", headline.largest_packet);
  if (headline.largest_on_link < headline.largest_packet)
    text += fmt::format(
        "; those of more than {} bytes do not fit the link and are fragmented or "
        "lost",
        headline.largest_on_link);
  return text;
}

std::int64_t maximum_nodes(const EffectiveDataplane& network) {
  std::int64_t sum = 0;
  for (const EffectiveDataplane::WorkerPool& pool : network.workers)
    sum += pool.maximum;
  return sum;
}

/// The number of nodes beyond which the route table is full, where the workers may outgrow it.
std::optional<std::int64_t> most_nodes(const EffectiveDataplane& network) {
  const std::int64_t routes = network.route_room.routes;
  if (routes == 0 || !effective::has_cloud_routes(network)) return std::nullopt;
  const effective::RouteCount count = effective::route_count(network);
  const std::int64_t reached = std::max<std::int64_t>((routes - count.others) / count.per_node, 0);
  return maximum_nodes(network) > reached ? std::optional(reached) : std::nullopt;
}

/// Why pods do not reach all other nodes.
std::string missing_reach(const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  const provider::Profile& provider = provider::profile_of(network.provider);
  if (dataplane.address_gap != AddressGap::None)
    return std::string(effective::in_words(dataplane.address_gap));
  if (effective::drops_pod_sources(network, dataplane))
    return "they are routed without a tunnel, and OVN drops packets from pod addresses";
  if (effective::drops_tunnel(provider, dataplane))
    return fmt::format("the network of provider {} drops the overlay's packets ({})", provider.name,
                       to_string(dataplane.encapsulation));
  if (effective::has_unreachable_routes(provider, dataplane))
    return fmt::format(
        "BIRD writes unreachable routes to their pods, since machines on {} have "
        "/32 addresses",
        provider.name);
  if (dataplane.routes_by == effective::RoutesBy::None)
    return "they are routed without a tunnel, and nothing is known to route them";
  if (dataplane.route_gap == effective::RouteGap::BetweenSubnets)
    return "nothing writes routes between the nodes' subnets";
  return "they are routed without a tunnel, and no controller writes the cloud's routes to them";
}

std::string statement_of(const Headline& headline, PodReach reach,
                         const EffectiveDataplane& network) {
  const Dataplane& dataplane = network.dataplane;
  const std::string routes = fmt::format("routes: {}", to_string(dataplane.routes_by));
  switch (reach) {
    case PodReach::NoOtherNode:
      return fmt::format("pods do not reach other nodes{}: {}",
                         dataplane.address_gap == AddressGap::None ? "" : ", except by chance",
                         headline.reason);
    case PodReach::OwnSubnet:
      return fmt::format(
          "pods reach nodes of their own subnet only, routed, without a tunnel ({}), {}: {}",
          routes, packet_size(headline), headline.reason);
    case PodReach::AllNodes:
      break;
  }
  if (dataplane.mode == Mode::Overlay) {
    const bool spares_neighbours =
        dataplane.cross_subnet && !provider::profile_of(network.provider).machines.host_addresses;
    return fmt::format("pods reach other nodes through an overlay ({}{}), {}",
                       to_string(dataplane.encapsulation),
                       spares_neighbours ? " between subnets" : "", packet_size(headline));
  }
  if (dataplane.is_encrypted())
    return fmt::format("pods reach other nodes through WireGuard, without another tunnel ({}), {}",
                       routes, packet_size(headline));
  std::string text = fmt::format("pods reach other nodes routed, without a tunnel ({}), {}", routes,
                                 packet_size(headline));
  if (headline.most_nodes)
    text += fmt::format(
        "; on more than {} nodes (the workers allow {}) some are not reached, because "
        "the route table holds {} routes",
        *headline.most_nodes, maximum_nodes(network), network.route_room.routes);
  return headline.condition.empty() ? text : text + ", " + headline.condition;
}

std::string_view transport_of(PodReach reach, const Dataplane& dataplane) {
  if (reach == PodReach::NoOtherNode) return "";
  if (reach == PodReach::AllNodes && dataplane.mode == Mode::Overlay) return "overlay";
  return dataplane.is_encrypted() ? "wireguard" : "routed";
}

}  // namespace

Headline headline_of(const EffectiveDataplane& network) {
  if (network.opaque) {
    const std::string text =
        fmt::format("Overlane does not model the network type {}: only addresses are known",
                    one_line(network.cni));
    return {.pods = "unknown", .reason = text, .condition = {}, .statement = text};
  }
  const Dataplane& dataplane = network.dataplane;
  const PodReach reach = effective::pod_reach(network, dataplane);
  Headline headline{.pods = to_string(reach),
                    .mode = transport_of(reach, dataplane),
                    .reason = {},
                    .condition = {},
                    .statement = {}};
  if (reach != PodReach::NoOtherNode) {
    headline.largest_packet = dataplane.pod_mtu;
    headline.largest_on_link =
        std::min(dataplane.pod_mtu, dataplane.link_mtu > dataplane.overhead_bytes
                                        ? dataplane.link_mtu - dataplane.overhead_bytes
                                        : 0);
  }
  if (reach != PodReach::AllNodes) headline.reason = missing_reach(network);
  if (reach == PodReach::AllNodes) {
    headline.condition = effective::condition_of_reach(network, dataplane);
    if (headline.mode == "routed") headline.most_nodes = most_nodes(network);
  }
  headline.statement = statement_of(headline, reach, network);
  return headline;
}

}  // namespace overlane::explain

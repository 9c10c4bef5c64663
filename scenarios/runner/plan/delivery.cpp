#include "scenarios/runner/plan/delivery.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/node/state/node_state.h"
#include "sim/run/app/ephemeral_ports.h"
#include "sim/transport/segment.h"
#include "topologies/path/walk.h"

namespace overlane::runner {
namespace {

constexpr std::uint32_t kProbeBytes = 64;

/// A packet of the group from a client to its server, or in the reverse direction (`back`).
forward::Packet packet_of(const run::TrafficGroup& group, const run::PodPair& pair,
                          std::uint32_t bytes, bool back) {
  const IpAddress source = (back ? pair.destination : pair.source).address;
  const IpAddress destination = (back ? pair.source : pair.destination).address;
  return forward::PacketBuilder(group.uses_tcp() ? forward::kTcp : forward::kUdp, source,
                                destination)
      .ports(back ? run::kServerPort : run::kFirstPort, back ? run::kFirstPort : run::kServerPort)
      .length(bytes)
      .dont_fragment(group.uses_tcp() || group.dont_fragment)
      .build();
}

/// The pair; if the client is in its node's own network, with the source address that the node
/// selects.
run::PodPair addressed(const compile::Compiled& states, const run::TrafficGroup& group,
                       run::PodPair pair) {
  if (group.from_node) {
    const node::NodeState& state = states.nodes[pair.source.node];
    pair.source.address = node::socket_route(state, pair.destination.address).source;
  }
  return pair;
}

/// The MTU of the pair's path: for traffic between nodes that of the route, otherwise the pods'.
std::uint32_t mtu_of(const compile::Compiled& states, const run::TrafficGroup& group,
                     const run::PodPair& pair, std::uint32_t pod_mtu) {
  if (!group.from_node || !group.to_node) return pod_mtu;
  return node::socket_route(states.nodes[pair.source.node], pair.destination.address).mtu;
}

/// The largest packet of the group in this direction that is not fragmented by the pod, in bytes of
/// IP.
std::uint32_t largest_packet(const run::TrafficGroup& group, bool is_ipv4, bool back,
                             std::uint32_t pod_mtu) {
  const std::uint32_t ip = is_ipv4 ? transport::kIpv4Header : transport::kIpv6Header;
  const std::uint32_t headers =
      ip + (group.uses_tcp() ? transport::kTcpOverhead : transport::kUdpHeader);
  std::uint32_t payload = back ? 0 : pod_mtu;  // Streams: full packets, empty answers.
  if (group.kind == model::TrafficKind::Udp) payload = group.payload_bytes;
  if (group.kind == model::TrafficKind::RequestResponse)
    payload = back ? group.response_bytes : group.request_bytes;
  return std::min(payload + headers, pod_mtu);
}

bool answers(const run::TrafficGroup& group) {
  return group.kind != model::TrafficKind::Udp;
}

std::string way_text(const compile::Compiled& states, std::uint32_t from, std::uint32_t to) {
  const auto& instances = states.fabric.instances;
  return fmt::format("{} to {}", instances[from].name, instances[to].name);
}

/// The hole's entries begin with the MTU; a second entry denies the ICMP error.
std::string hint(const path::BlackHole& hole, const forward::Packet& packet, bool probes) {
  std::string text = hole.entries.size() > 1 ? "let ICMP 3/4 (IPv6: ICMPv6 2) through, or " : "";
  text += "lower the pods' MTU";
  if (packet.inner.protocol != forward::kTcp) return text + ", or send smaller datagrams";
  return text + (probes ? "; TCP, which probes for the MTU, finds out by itself"
                        : "; with mtuProbing TCP finds out by itself");
}

Finding warning(const run::TrafficGroup& group, bool probes, const std::string& way,
                const forward::Packet& packet, const path::BlackHole& hole) {
  return {.rule = "path-mtu-black-hole",
          .severity = probes ? Severity::Note : Severity::Warning,
          .message = fmt::format(
              "traffic {}: small packets get from {}, but those of {} bytes are dropped ({}) and "
              "the pod gets no ICMP error: {}",
              group.name, way, packet.inner.total_length, to_string(hole.drop),
              fmt::join(hole.entries, ", ")),
          .hint = hint(hole, packet, probes)};
}

}  // namespace

Delivery probe(const compile::Compiled& states, const std::vector<run::TrafficGroup>& traffic) {
  std::map<std::tuple<run::PodEnd, run::PodEnd, std::uint8_t>, forward::Packet> paths;
  for (const run::TrafficGroup& group : traffic) {
    const std::uint8_t protocol = group.uses_tcp() ? forward::kTcp : forward::kUdp;
    for (const run::PodPair asked : group.pairs) {
      const run::PodPair pair = addressed(states, group, asked);
      const auto& [source, destination] = pair;
      paths.try_emplace({source, destination, protocol},
                        packet_of(group, pair, kProbeBytes, false));
      if (answers(group))
        paths.try_emplace({destination, source, protocol},
                          packet_of(group, pair, kProbeBytes, true));
    }
  }
  Delivery delivery{.paths = paths.size()};
  for (const auto& [ends, packet] : paths) {
    const auto& [source, destination, protocol] = ends;
    const path::Walk walk = path::walk(states, source.node, packet);
    if (walk.delivered() || delivery.blocked++ > 0) continue;
    const bool denied = walk.drop == Drop::FabricPacketFilter;
    delivery.first_block = fmt::format(
        "{}: {} ({}{})", way_text(states, source.node, destination.node), to_string(*walk.drop),
        facts(*walk.drop).meaning, denied ? ": " + walk.steps.back().state_entry : "");
  }
  return delivery;
}

std::optional<Finding> find_black_hole(const compile::Compiled& states,
                                       const std::vector<run::TrafficGroup>& traffic,
                                       std::uint32_t pod_mtu,
                                       std::optional<std::uint8_t> mtu_probing) {
  if (states.fabric.path_mtu == node::FabricPathMtu{}) return std::nullopt;
  for (const run::TrafficGroup& group : traffic) {
    const bool probes = group.uses_tcp() && mtu_probing.value_or(group.mtu_probing) != 0;
    for (const run::PodPair asked : group.pairs) {
      const run::PodPair pair = addressed(states, group, asked);
      for (const bool back : {false, true}) {
        if (back && !answers(group)) continue;
        const auto [from, to] = back ? std::pair(pair.destination.node, pair.source.node)
                                     : std::pair(pair.source.node, pair.destination.node);
        const std::uint32_t bytes = largest_packet(group, pair.source.address.is_ipv4(), back,
                                                   mtu_of(states, group, pair, pod_mtu));
        const forward::Packet packet = packet_of(group, pair, bytes, back);
        if (const auto hole = path::find_black_hole(states, from, packet))
          return warning(group, probes, way_text(states, from, to), packet, *hole);
      }
    }
  }
  return std::nullopt;
}

}  // namespace overlane::runner

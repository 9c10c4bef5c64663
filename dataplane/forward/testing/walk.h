#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "dataplane/forward/forward.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::forward::testing {

using node::testing::Cluster;

/// A UDP packet between two pods.
inline Packet udp(IpAddress source, IpAddress destination, std::uint16_t bytes = 100) {
  return {.inner = {.source = source,
                    .destination = destination,
                    .total_length = bytes,
                    .protocol = kUdp},
          .source_port = 40000,
          .destination_port = 53};
}
/// Who got the packet answers it.
inline Packet answer_to(const Packet& packet) {
  Packet answer = packet;
  std::swap(answer.inner.source, answer.inner.destination);
  std::swap(answer.source_port, answer.destination_port);
  answer.inner.ttl = 64;
  return answer;
}
inline Packet without_fragmenting(Packet packet) {
  packet.inner.dont_fragment = true;
  return packet;
}

/// What became of one packet, by whichever hop decided last.
struct Walk {
  std::optional<Drop> drop;
  std::vector<std::uint32_t> nodes;  ///< In order.
  Packet packet;                     ///< As it was delivered or dropped.
  bool delivered() const { return !drop; }
};

/// Carries a packet that is emitted whole from a pod of node `from` to where it ends, without time.
inline Walk walk(const Cluster& cluster, std::uint32_t from, const Packet& packet) {
  std::vector<node::NodeRuntime> runtimes(cluster.nodes.size());
  Walk walk{.nodes = {from}, .packet = packet};
  Ingress ingress = Ingress::Pod;
  for (int hop = 0; hop < 300; ++hop) {
    const std::uint32_t at = walk.nodes.back();
    Outcome outcome;
    forward(cluster.nodes[at], runtimes[at], walk.packet, ingress, {}, outcome);
    walk.drop = outcome.drop;
    if (walk.drop) return walk;
    const Emission& emission = outcome.emissions.at(0);
    walk.packet = emission.packet;
    if (emission.egress != Egress::Uplink) return walk;
    FabricOutcome fabric;
    forward(cluster.fabric, walk.packet, at, emission.next_hop, fabric);
    walk.packet = fabric.packet;
    walk.drop = fabric.drop;
    if (walk.drop) return walk;
    walk.nodes.push_back(fabric.instance);
    ingress = Ingress::Uplink;
  }
  return walk;
}

}  // namespace overlane::forward::testing

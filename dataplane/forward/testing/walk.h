#pragma once

#include <cstdint>
#include <utility>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/forward/walk.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::forward::testing {

using node::testing::Cluster;

/// A UDP packet between two pods.
inline Packet udp(IpAddress source, IpAddress destination, std::uint32_t bytes = 100) {
  return PacketBuilder::udp(source, destination).ports(40000, 53).length(bytes).build();
}
/// Returns the answer of the packet's receiver.
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

/// Walks one packet from a pod of node `from`.
inline Walk walk(const Cluster& cluster, std::uint32_t from, const Packet& packet) {
  return forward::walk(cluster.nodes, cluster.fabric, from, packet);
}

}  // namespace overlane::forward::testing

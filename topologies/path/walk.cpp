#include "topologies/path/walk.h"

#include <deque>
#include <map>

namespace overlane::path {
namespace {

using forward::Egress;
using forward::Ingress;
using forward::Packet;

/// A packet about to enter a node.
struct Arrival {
  std::uint32_t node;
  Ingress ingress;
  Packet packet;
};

constexpr std::uint8_t kFirstTtl = 64;  // Linux's net.ipv4.ip_default_ttl.

}  // namespace

Walk walk(const compile::Compiled& states, std::uint32_t from_node, IpAddress source,
          IpAddress destination, std::uint16_t ip_bytes, bool dont_fragment) {
  Walk result;
  std::map<std::uint32_t, node::NodeRuntime> runtimes;  // Of the few nodes that it comes to.
  Packet first;
  first.inner = {.source = source,
                 .destination = destination,
                 .total_length = ip_bytes,
                 .dont_fragment = dont_fragment && source.is_ipv4(),
                 .protocol = forward::kUdp,
                 .ttl = kFirstTtl};
  std::deque<Arrival> arrivals{{from_node, Ingress::Pod, first}};
  std::uint32_t delivered_bytes = 0;
  while (!arrivals.empty()) {
    const Arrival arrival = arrivals.front();
    arrivals.pop_front();
    forward::Outcome outcome;
    forward::forward(states.nodes[arrival.node], runtimes[arrival.node], arrival.packet,
                     arrival.ingress, Picos{}, outcome, &result.steps);
    if (outcome.drop && !result.drop) result.drop = outcome.drop;
    for (const forward::Emission& emission : outcome.emissions) {
      if (emission.is_reply) continue;
      if (emission.egress == Egress::Pod) {
        delivered_bytes += emission.packet.inner.payload_bytes();
      }
      if (emission.egress != Egress::Uplink) continue;
      forward::FabricOutcome fabric;
      forward::forward(states.fabric, emission.packet, arrival.node, emission.next_hop, fabric,
                       &result.steps);
      if (fabric.drop && !result.drop) result.drop = fabric.drop;
      if (!fabric.drop) arrivals.push_back({fabric.instance, Ingress::Uplink, fabric.packet});
    }
  }
  const bool whole = delivered_bytes + first.inner.header_bytes() >= ip_bytes;
  if (!whole && !result.drop) result.drop = Drop::NoSuchPod;
  return result;
}

}  // namespace overlane::path

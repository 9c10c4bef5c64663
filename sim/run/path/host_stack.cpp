#include "sim/run/path/host_stack.h"

#include <utility>

#include "sim/host/machine.h"

namespace overlane::run {

using forward::Egress;
using forward::Ingress;

HostStack::HostStack(const std::vector<TrafficGroup>& traffic, Decisions& decisions,
                     Packets& packets, Cpu& cpu, WireGuard& wireguard, std::size_t nodes,
                     Entrance uplink)
    : traffic_(traffic),
      decisions_(decisions),
      packets_(packets),
      cpu_(cpu),
      wireguard_(wireguard),
      uplink_(uplink),
      memory_(nodes, Station{core::FifoServer(0), {}}) {}

Handoff HostStack::core_done(std::uint32_t node, std::uint16_t core) {
  const PacketId id = cpu_.take(node, core);
  if (id == kNone) return {};
  if (packets_.is_read(id)) {
    packets_.arrive(id);
    return {};
  }
  const Packet& packet = packets_[id];
  if (packet.to_crypt) return {id, Entrance::Cipher};
  if (packet.in_order) wireguard_.leave(id);
  return go_on(id);
}

/// Hands a packet to its socket or to the wire, by the decision about it.
Handoff HostStack::go_on(PacketId id) {
  const Packet& packet = packets_[id];
  switch (packet.egress) {
    case Egress::Host:
      // A local route may accept a packet whose socket is on another node.
      if (is_on_node(packet, packet.is_icmp ? packet.sender : packet.sender ^ 1))
        reach_socket(id);
      else if (packet.is_icmp)
        packets_.deliver(id);
      else
        packets_.drop(id, Drop::NoSocket);
      return {};
    case Egress::Pod:
      packets_.count_hops(packet.packets);  // The pod's veth.
      reach_socket(id);
      return {};
    case Egress::Uplink:
      return {id, uplink_};
  }
  return {};
}

void HostStack::reach_socket(PacketId id) {
  const Packet& packet = packets_[id];
  if (!packet.local) return packets_.arrive(id);
  Station& memory = memory_[packet.node];
  const Picos copy = serialization_time(Bytes{packet.length}, host::kLocalRate);
  packets_.wait(memory.pipe, id, memory.server.occupy(packets_.now(), copy),
                {EventKind::LocalDone, packet.node});
}

void HostStack::local_done(std::uint32_t node) {
  const PacketId id = packets_.take(memory_[node].pipe, {EventKind::LocalDone, node});
  if (id != kNone) packets_.arrive(id);
}

/// Applies the outcome of forward() to a packet. The packet, or its first fragment, keeps its id.
/// Further fragments and an ICMP error are new packets.
HostStack::Batch HostStack::carry_out(PacketId id, const forward::Outcome& outcome,
                                      Ingress ingress) {
  Batch batch;
  for (const node::ReassemblyKey& key : outcome.completed)
    packets_.held().complete(HeldFragments::at_node(packets_[id].node), key);
  if (outcome.held) {
    hold(id, *outcome.held);
    return batch;
  }
  const Encapsulation in = decisions_.header_shape(packets_[id]).encapsulation;
  bool goes_on = false;
  for (const forward::Emission& emission : outcome.emissions) {
    PacketId next = id;
    if (emission.is_reply) {
      next = packets_.add_error_about(id);
    } else if (std::exchange(goes_on, true)) {
      next = packets_.add_fragment_of(id);
    }
    packets_[next].local = ingress != Ingress::Uplink && emission.egress != Egress::Uplink;
    give(next, emission);
    batch.push_back({next, cost_of(next, ingress, in)});
  }
  if (outcome.drop) {
    const Packet& packet = packets_[id];
    if (const cost::PathCost* cost = cost_of(id, ingress, in))
      cpu_[packet.node].cores[packet.core].server.occupy(packets_.now(),
                                                         cost->of(packet.length, packet.arrival()));
    packets_.drop(goes_on ? packets_.add_fragment_of(id) : id, *outcome.drop);
  } else if (!goes_on) {
    packets_.deliver(id);  // The packet is for the node itself.
  }
  return batch;
}

void HostStack::give(PacketId id, const forward::Emission& emission) {
  Packet& packet = packets_[id];
  if (emission.packet.outermost().is_fragment()) packet.shares_buffer = false;
  packet.egress = emission.egress;
  decisions_.give_header(packet, emission.packet, emission.next_hop);
}

const cost::PathCost* HostStack::cost_of(PacketId id, Ingress ingress, Encapsulation in) const {
  if (!cpu_.has_costs()) return nullptr;
  const Packet& packet = packets_[id];
  const bool has_header = packet.header != kNone || packet.cache_entry != kNone;
  const Encapsulation out = has_header ? decisions_.header_shape(packet).encapsulation : in;
  const Family family = has_header ? decisions_.header_shape(packet).inner.family() : Family::Ipv4;
  // The node itself sends an ICMP error, whichever interface the cause came from, and receives one
  // that no pod gets.
  const bool ends_here = packet.is_icmp && packet.egress == Egress::Host;
  const cost::Side from = packet.is_icmp ? cost::Side::Nic : side(ingress);
  const cost::Side to = ends_here ? cost::Side::Nic : side(packet.egress);
  return cpu_.cost(packet.node, cost::PathCosts::path(from, to, in, out, family));
}

/// Holds a fragment until its packet is complete: the packet is for this node, or the node
/// defragments it to track its connection.
void HostStack::hold(PacketId id, const node::ReassemblyKey& key) {
  const std::uint32_t node = packets_[id].node;
  const node::Sysctls& sysctls = decisions_.states().nodes()[node].sysctls;
  packets_.hold(HeldFragments::at_node(node), key, id,
                sysctls.reassembly_timeout(key.destination.family()),
                {EventKind::NodeExpiry, node});
}

std::vector<Handoff> HostStack::expire_fragments(std::uint32_t node) {
  std::vector<Handoff> onward;
  const auto expired = decisions_.expire_fragments(node, packets_.now());
  for (const node::ReassemblyTable::Expired& lost : expired) {
    const auto error = packets_.held().error_about(node, lost.key);
    if (lost.first && error) answer_timeout(*error, lost, onward);
  }
  packets_.held().expire(HeldFragments::at_node(node), expired);
  return onward;
}

void HostStack::answer_timeout(const Packet& error, const node::ReassemblyTable::Expired& lost,
                               std::vector<Handoff>& onward) {
  const forward::Outcome& outcome =
      decisions_.on_timeout(error.node, lost, error.sampled, packets_.now());
  for (const forward::Emission& emission : outcome.emissions) {
    const PacketId id = packets_.add(error);
    give(id, emission);
    onward.push_back(
        work({id, cost_of(id, Ingress::Uplink, Encapsulation::None)}, error.node, error.core));
  }
}

void HostStack::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  packets_.take_out(memory_[node].pipe, node, lost);
  memory_[node].server.stop(packets_.now());
  packets_.held().give_up(HeldFragments::at_node(node), Drop::NodeGone);
}

void HostStack::begin_measuring(Picos now) {
  for (Station& memory : memory_)
    memory.server.begin_measuring(now);
}

}  // namespace overlane::run

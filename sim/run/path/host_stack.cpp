#include "sim/run/path/host_stack.h"

#include <utility>

#include "sim/host/machine.h"
#include "sim/run/path/host_send.h"
#include "sim/run/path/veth_pairs.h"
#include "sim/run/path/vhost.h"
#include "sim/run/path/wireguard.h"

namespace overlane::run {

using forward::Egress;
using forward::Ingress;

HostStack::HostStack(const std::vector<TrafficGroup>& traffic, Decisions& decisions,
                     Packets& packets, Cpu& cpu, std::size_t nodes, const Exits& exits)
    : traffic_(traffic),
      decisions_(decisions),
      packets_(packets),
      cpu_(cpu),
      exits_(exits),
      memory_(nodes, Station{core::FifoServer(0), {}}) {}

void HostStack::core_done(std::uint32_t node, std::uint16_t core) {
  const PacketId id = cpu_.take(node, core);
  if (id == kNone) return;
  const Packet& packet = packets_[id];
  if (packet.kind == Packet::Kind::Read) return packets_.arrive(id);
  if (packet.to_crypt) return exits_.wireguard.crypt(id);
  if (packet.in_order) exits_.wireguard.leave(id);
  go_on(id);
}

void HostStack::go_on(PacketId id) {
  const Packet& packet = packets_[id];
  switch (packet.egress) {
    case Egress::Host:
      // A local route may take packets that are for a socket of another node.
      if (!is_on_node(packet, packet.is_icmp ? packet.sender : packet.sender ^ 1))
        return packet.is_icmp ? packets_.deliver(id) : packets_.drop(id, Drop::NoSocket);
      return reach_socket(id);
    case Egress::Pod:
      packets_.count_hops(packet.packets);  // The pod's veth.
      return reach_socket(id);
    case Egress::Uplink:
      if (exits_.veths != nullptr) return exits_.veths->enter(id);
      return exits_.vhost != nullptr ? exits_.vhost->send(id) : exits_.send.enter_nic(id);
  }
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

/// Where no cached decision holds.
HostStack::Batch HostStack::decide_anew(PacketId id, Ingress ingress) {
  Packet& packet = packets_[id];
  if (ingress == Ingress::Pod && is_on_node(packet, packet.sender)) ingress = Ingress::Host;
  const forward::Packet header = decisions_.header(packet);
  const forward::Outcome* outcome = decisions_.ask_node(packet, header, ingress, packets_.now());
  if (outcome == nullptr) return {{id, cpu_.cost(packet.node, decisions_.passed(packet).cost)}};
  for (const node::ReassemblyKey& key : outcome->completed)
    packets_.held().complete(HeldFragments::at_node(packet.node), key);
  if (outcome->held) {
    hold(id, *outcome->held);
    return {};
  }
  return emit(id, *outcome, ingress, header.encapsulation);
}

/// Sends on what forward() made of a packet. The packet itself, or its first fragment, keeps its
/// place; further fragments and an ICMP error get their own.
HostStack::Batch HostStack::emit(PacketId id, const forward::Outcome& outcome, Ingress ingress,
                                 Encapsulation in) {
  Batch batch;
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
    packets_.deliver(id);  // The node itself has taken it.
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
  // An ICMP error is the node's work, wherever it begins, and where no pod gets it.
  const bool ends_here = packet.is_icmp && packet.egress == Egress::Host;
  const cost::Side from = packet.is_icmp ? cost::Side::Nic : side(ingress);
  const cost::Side to = ends_here ? cost::Side::Nic : side(packet.egress);
  return cpu_.cost(packet.node, cost::PathCosts::path(from, to, in, out, family));
}

/// A fragment that waits for the others: for this node, or because connections are tracked.
void HostStack::hold(PacketId id, const node::ReassemblyKey& key) {
  const std::uint32_t node = packets_[id].node;
  const node::Sysctls& sysctls = decisions_.states().nodes()[node].sysctls;
  packets_.hold(HeldFragments::at_node(node), key, id,
                sysctls.reassembly_timeout(key.destination.family()),
                {EventKind::NodeExpiry, node});
}

void HostStack::expire_fragments(std::uint32_t node) {
  const auto expired = decisions_.expire_fragments(node, packets_.now());
  for (const node::ReassemblyTable::Expired& lost : expired) {
    const auto error = packets_.held().error_about(node, lost.key);
    if (lost.first && error) answer_timeout(*error, lost);
  }
  packets_.held().expire(HeldFragments::at_node(node), expired);
}

void HostStack::answer_timeout(const Packet& error, const node::ReassemblyTable::Expired& lost) {
  const forward::Outcome& outcome =
      decisions_.ask_about_lost(error.node, lost, error.sampled, packets_.now());
  for (const forward::Emission& emission : outcome.emissions) {
    const PacketId id = packets_.add(error);
    give(id, emission);
    work({id, cost_of(id, Ingress::Uplink, Encapsulation::None)}, error.node, error.core);
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

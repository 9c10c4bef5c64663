#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "sim/run/inputs/traffic_group.h"
#include "sim/run/path/wireguard.h"

namespace overlane::run {

/// A node's kernel between its sockets and its wire. It decides about each packet under the node's
/// state at the packet's arrival, lets a core work on the packet, and then hands it to its socket
/// or to the wire. Copies between sockets of one node wait here for the memory. One partition owns
/// a HostStack and is its only user.
class HostStack {
 public:
  /// Referenced arguments must outlive this object. `uplink`: the entrance for packets that leave a
  /// node.
  HostStack(const std::vector<TrafficGroup>& traffic, Decisions& decisions, Packets& packets,
            Cpu& cpu, WireGuard& wireguard, std::size_t nodes, Entrance uplink);

  /// A packet after its decision, and the CPU cost of its path; null where CPU time is free.
  struct Forwarded {
    PacketId id = kNone;
    const cost::PathCost* cost = nullptr;
  };
  /// Decides about a packet on its node. Calls next(Forwarded) for each packet that the node emits:
  /// the packet or its fragments, and an ICMP error. `ingress` of a packet from a socket is Pod,
  /// even if the socket is the node's.
  template <typename Next>
  [[gnu::always_inline]] void decide(PacketId id, forward::Ingress ingress, Next next) {
    Packet& packet = packets_[id];
    const auto actual_ingress = [&] {
      const bool from_pod = ingress == forward::Ingress::Pod;
      return from_pod && is_on_node(packet, packet.sender) ? forward::Ingress::Host : ingress;
    };
    const NodeDecision decided = decisions_.on_node(packet, actual_ingress, packets_.now());
    if (decided.cached != nullptr)
      return next(Forwarded{id, cpu_.cost(packet.node, decided.cached->path)});
    for (const Forwarded& emitted : carry_out(id, *decided.outcome, actual_ingress()))
      next(emitted);
  }
  /// A core works on a packet after its decision. Without CPU costs, the packet goes on at once. A
  /// datagram into a tunnel has an extra cost (per_datagram). is_cut: the kernel segments the
  /// buffer.
  Handoff work(const Forwarded& forwarded, std::uint32_t node, std::uint16_t core) {
    if (forwarded.cost == nullptr) return go_on(forwarded.id);
    Packet& packet = packets_[forwarded.id];
    packet.to_crypt = forwarded.cost->is_sealed;
    Picos time = forwarded.cost->of(packet.length, packet.arrival());
    if (!packet.is_tcp) time += forwarded.cost->per_datagram;
    if (forwarded.cost->is_cut && packet.shares_buffer) {
      packet.shares_buffer = false;
      packet.in_burst = true;
    }
    cpu_.work(forwarded.id, node, core, time);
    return {};
  }

  /// A core has finished with a packet or a read.
  Handoff core_done(std::uint32_t node, std::uint16_t core);
  /// A packet between two sockets of the node has been copied.
  void local_done(std::uint32_t node);
  /// Fragments of packets may have timed out. Returns the node's ICMP errors.
  std::vector<Handoff> expire_fragments(std::uint32_t node);

  /// Packets::due() for copies between sockets of the node.
  PacketId due_copy(std::uint32_t node) const { return packets_.due(memory_[node].pipe); }
  /// The copies between sockets of a node.
  const core::FifoServer& memory(std::uint32_t node) const { return memory_[node].server; }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

 private:
  using Batch = boost::container::small_vector<Forwarded, 4>;

  /// Whether an endpoint of the packet's flow is on its node's own network.
  bool is_on_node(const Packet& packet, EndpointId end) const {
    return traffic_[packet.group].is_on_node(end % 2 == 1);
  }
  Handoff go_on(PacketId id);
  Batch carry_out(PacketId id, const forward::Outcome& outcome, forward::Ingress ingress);
  void give(PacketId id, const forward::Emission& emission);
  void hold(PacketId id, const node::ReassemblyKey& key);
  void answer_timeout(const Packet& error, const node::ReassemblyTable::Expired& lost,
                      std::vector<Handoff>& onward);
  const cost::PathCost* cost_of(PacketId id, forward::Ingress ingress, Encapsulation in) const;
  void reach_socket(PacketId id);

  const std::vector<TrafficGroup>& traffic_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  WireGuard& wireguard_;
  Entrance uplink_;
  std::vector<Station> memory_;  ///< One per node, shared by copies between its sockets.
};

}  // namespace overlane::run

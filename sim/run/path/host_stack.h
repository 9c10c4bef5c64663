#pragma once

#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "sim/run/inputs/traffic_group.h"
#include "sim/run/path/cpu.h"

namespace overlane::run {

class HostSend;
class VethPairs;
class Vhost;
class WireGuard;

/// A node's kernel between its sockets and its wire: decides about packets, each under the node's
/// state when the packet comes, and takes what a core has done with to its socket or to the wire.
class HostStack {
 public:
  /// Where packets go that leave their node: through one of the first two, if it is not null.
  struct Exits {
    VethPairs* veths;  ///< Null where nodes have NICs.
    Vhost* vhost;      ///< Null where nodes are no virtual machines with virtio NICs.
    HostSend& send;
    WireGuard& wireguard;
  };
  /// Referenced arguments must outlive this object.
  HostStack(const std::vector<TrafficGroup>& traffic, Decisions& decisions, Packets& packets,
            Cpu& cpu, std::size_t nodes, const Exits& exits);

  /// A packet after its decision, and what that costs; null where CPU time is free.
  struct Decided {
    PacketId id = kNone;
    const cost::PathCost* cost = nullptr;
  };
  /// Decides about a packet on its node: calls next(Decided) for it, or for what forward() made of
  /// it. Packets of a socket come from a pod or from the node itself.
  template <typename Next>
  [[gnu::always_inline]] void decide(PacketId id, forward::Ingress ingress, Next next) {
    Packet& packet = packets_[id];
    if (const CachedDecision* known = decisions_.follow_node(packet, packets_.now()))
      return next(Decided{id, cpu_.cost(packet.node, known->cost)});
    for (const Decided& decided : decide_anew(id, ingress))
      next(decided);
  }
  /// Lets a core work on what was decided; it goes on when that is done.
  void work(const Decided& decided, std::uint32_t node, std::uint16_t core) {
    if (decided.cost == nullptr) return go_on(decided.id);
    Packet& packet = packets_[decided.id];
    packet.to_crypt = decided.cost->is_sealed;
    Picos time = decided.cost->of(packet.length, packet.arrival());
    if (!packet.is_tcp) time += decided.cost->per_datagram;
    if (decided.cost->is_cut && packet.shares_buffer) {
      packet.shares_buffer = false;
      packet.in_burst = true;
    }
    cpu_.work(decided.id, node, core, time);
  }

  /// A core is done with a packet, or with a read.
  void core_done(std::uint32_t node, std::uint16_t core);
  /// To the socket or to the wire, as decided.
  void go_on(PacketId id);
  /// A packet between two sockets of the node has been copied.
  void local_done(std::uint32_t node);
  /// Fragments of packets may have run out of time.
  void expire_fragments(std::uint32_t node);

  /// Packets::due() for copies between pods of the node.
  PacketId due_copy(std::uint32_t node) const { return packets_.due(memory_[node].pipe); }
  /// The copies between sockets of a node.
  const core::FifoServer& memory(std::uint32_t node) const { return memory_[node].server; }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

 private:
  using Batch = boost::container::small_vector<Decided, 4>;

  /// Whether this end of a flow is on its node's own network.
  bool is_on_node(const Packet& packet, EndpointId end) const {
    return traffic_[packet.group].is_on_node(end % 2 == 1);
  }
  Batch decide_anew(PacketId id, forward::Ingress ingress);
  Batch emit(PacketId id, const forward::Outcome& outcome, forward::Ingress ingress,
             Encapsulation in);
  void give(PacketId id, const forward::Emission& emission);
  void hold(PacketId id, const node::ReassemblyKey& key);
  void answer_timeout(const Packet& error, const node::ReassemblyTable::Expired& lost);
  const cost::PathCost* cost_of(PacketId id, forward::Ingress ingress, Encapsulation in) const;
  void reach_socket(PacketId id);

  const std::vector<TrafficGroup>& traffic_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  Exits exits_;
  std::vector<Station> memory_;  ///< One per node, of what packets between its pods share.
};

}  // namespace overlane::run

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/fabric/path.h"
#include "sim/random/stream.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/path/border.h"
#include "sim/run/path/fabric_links.h"
#include "sim/run/path/shapers.h"

namespace overlane::run {

/// The path from a node's NIC to the port of another node: the fabric's decision (VPC routes,
/// filters), the cloud's limits on flows and nodes, random loss, and the delay; between racks also
/// the links of leaves and spines. Packets to nodes of another partition leave through the Border.
/// One partition owns a FabricPath and is its only user.
class FabricPath {
 public:
  /// Referenced arguments must outlive this object. `ends`: number of endpoints.
  FabricPath(const Network& network, const RunOptions& options, std::size_t ends,
             Decisions& decisions, Packets& packets, Ports& ports, Border& border);

  /// The node to which the fabric forwards a packet, or the loss of the packet.
  struct NextHop {
    std::uint32_t to = 0;      ///< Node that receives the packet.
    std::uint16_t core = 0;    ///< Core that the receiving NIC picks.
    bool shows_ports = false;  ///< Whether the fabric sees the flow's ports (flow_with_ports()).
    bool is_lost = false;      ///< The packet was dropped.
  };
  /// Decides about a packet that has left its node, and returns its room in the sender's send
  /// buffer. Calls answer(error, from) for an ICMP error, which goes back to node `from`.
  template <typename Answer>
  NextHop decide(PacketId id, Answer answer) {
    Packet& packet = packets_[id];
    leave_host(packet);
    const std::uint32_t from = packet.node;
    const FabricDecision decided = decisions_.in_fabric(packet, packets_.now());
    if (decided.cached != nullptr) return next_hop_of(*decided.cached);
    const auto [next, error] = carry_out(id, *decided.outcome);
    if (error != kNone) answer(error, from);
    return next;
  }
  /// A node's NIC has just sent the packet.
  void enter(PacketId id);
  /// A node's NIC will have sent the packet at `at`, later than now. Returns false, and leaves the
  /// packet unchanged, if the fabric's decision is not cached or a flow's cap may delay the packet.
  /// Requires a fabric without allowances and random loss.
  bool enter_ahead(PacketId id, Picos at);
  /// Whether enter_ahead() would succeed if no cap delays the packet.
  bool can_enter_ahead(PacketId id) const {
    return decisions_.known_in_fabric(packets_[id]) != nullptr;
  }
  /// Takes the packets that `partition` has sent to nodes of this partition.
  void take(const Mail& mail, std::uint16_t partition);

  void flow_cap_passed(std::uint32_t node, std::uint16_t number);
  void allowance_passed(std::uint32_t node, std::uint16_t direction);
  /// A packet from node `sender` has crossed the fabric, or has reached its rack's leaf. Returns
  /// the endpoint that sent it.
  EndpointId delay_passed(std::uint32_t sender, std::uint16_t way);
  void leaf_done(std::uint32_t number);
  /// A packet has reached the leaf of the receiver's rack. Returns the endpoint that sent it.
  EndpointId spine_done(std::uint32_t number);

  [[gnu::always_inline]] void prefetch(std::uint32_t sender) const {
    core::prefetch(&ways_[sender]);
  }
  /// Call this after the instances of the fabric have changed.
  void number_zones();
  /// Null where the fabric has no limits.
  const NodeShapers* shapers(std::uint32_t node) const {
    return shapers_.empty() ? nullptr : &shapers_[node];
  }
  /// Null where the fabric has no racks.
  const RackLinks* racks() const { return racks_ ? &*racks_ : nullptr; }
  RackLinks* racks() { return racks_ ? &*racks_ : nullptr; }
  /// Packets that wait for the cap on one of a node's flows, for one of its allowances, or for the
  /// delay of a fabric path.
  const Pipe& at_flow_cap(std::uint32_t node, std::uint16_t number) const {
    return shapers_[node].flows[number].pipe;
  }
  const Pipe& at_allowance(std::uint32_t node, std::uint16_t direction) const {
    return direction == kOut ? shapers_[node].out.pipe : shapers_[node].in.pipe;
  }
  const Pipe& in_delay(std::uint32_t sender, std::uint16_t way) const {
    return ways_[sender].lines[way].pipe;
  }
  /// What decides when the next packet from a node arrives at a port.
  struct Crossing {
    RandomStream& jitter;
    Picos& last;  ///< Arrival of the last packet on this kind of path; packets keep their order.
    Picos latency;
  };
  std::uint16_t way_between(std::uint32_t from, std::uint32_t to) const {
    return zones_[from] == zones_[to] ? kWithinZone : kAcrossZones;
  }
  Crossing crossing(std::uint32_t from, std::uint16_t way) {
    const fabric::Paths& paths = network_.paths;
    return {ways_[from].jitter, ways_[from].lines[way].last,
            way == kWithinZone ? paths.within_zone : paths.across_zones};
  }
  /// The cap on a flow from node `from` to `to`, and the time that a packet of `length` bytes takes
  /// at its rate.
  struct CapUse {
    fabric::TokenBucket* bucket = nullptr;  ///< Null: the fabric has no cap.
    Picos time;
  };
  /// nullopt if packets of the node wait for a cap. The bucket is valid until a packet of a new
  /// flow leaves the node.
  std::optional<CapUse> cap_use(EndpointId sender, std::uint32_t from,
                                const CachedFabricDecision& decided, std::uint32_t length) {
    if (!network_.limits.single_flow) return CapUse{};
    NodeShapers& shapers = shapers_[from];
    if (shapers.capped > 0) return std::nullopt;
    const std::uint16_t number = shapers.flows.number_of(
        decided.shows_ports ? flow_with_ports(sender) : flow_without_ports(decided.to));
    return CapUse{&shapers.flows[number].bucket, shapers.flows.time_of(length)};
  }
  void begin_measuring(Picos now) {
    if (racks_) racks_->begin_measuring(now);
  }

 private:
  /// Packets of one node on fabric paths with one delay.
  struct DelayLine {
    Pipe pipe;   ///< Packets to this partition's nodes that are not in a port's list of arrivals.
    Picos last;  ///< Arrival of the last packet that took this path, in any partition.
  };
  /// The fabric paths from one node, in one cache line.
  struct alignas(64) WaysOut {
    explicit WaysOut(RandomStream random) : jitter(random) {}

    std::array<DelayLine, 2> lines;
    RandomStream jitter;
  };
  /// The fabric's decision about a packet, and its ICMP error, if any.
  struct HopAndError {
    NextHop next;
    PacketId error = kNone;
  };

  static NextHop next_hop_of(const CachedFabricDecision& cached) {
    return {cached.to, cached.core, cached.shows_ports};
  }
  void leave_host(Packet& packet) {
    packets_.count_hops();
    packets_.leave_host(packet);
  }
  HopAndError carry_out(PacketId id, const forward::FabricOutcome& outcome);
  /// Sends a packet that leaves its node at `at` to the node that the fabric has decided on.
  void send_to(PacketId id, const NextHop& next, Picos at) {
    Packet& packet = packets_[id];
    const std::uint32_t from = std::exchange(packet.node, next.to);
    packet.core = next.core;
    if (shapers_.empty()) return cross(id, from, at);
    enter_limits(id, next, from, at);
  }
  void enter_limits(PacketId id, const NextHop& next, std::uint32_t from, Picos at);
  std::uint16_t cap_of(const Packet& packet, const NextHop& next, std::uint32_t from) {
    return shapers_[from].flows.number_of(next.shows_ports ? flow_with_ports(packet.sender)
                                                           : flow_without_ports(next.to));
  }
  bool is_capped(const Packet& packet, const NextHop& next, Picos at);
  void leave_instance(PacketId id, std::uint32_t from, Picos at);
  void cross(PacketId id, std::uint32_t from, Picos at);
  std::optional<Picos> allowed(Allowance& allowance, PacketId id);
  bool passes(Shaper& shaper, PacketId id, Picos came, Picos at, StationEvent event);
  PacketId let_pass(Shaper& shaper, StationEvent event);
  EndpointId reach_node(PacketId id);
  void leave_partition(PacketId id, std::uint32_t from, std::uint16_t way, Picos at);
  /// A packet from node `from` will have crossed the fabric at `at`.
  void arrive_at(PacketId id, std::uint32_t from, std::uint16_t way, Picos at) {
    if (!arrives_by_event_) return ports_.expect(id, from, way, at);
    packets_.wait(ways_[from].lines[way].pipe, id, at, {EventKind::PortArrive, from, way});
  }

  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Ports& ports_;
  Border& border_;
  /// Whether a packet's arrival at a port is an event, because it has an effect or an observer.
  bool arrives_by_event_;
  std::vector<NodeShapers> shapers_;  ///< One per node; empty if the fabric has no limits.
  fabric::LossProcess loss_;          ///< Loss process of all endpoints.
  std::optional<RackLinks> racks_;
  std::vector<WaysOut> ways_;         ///< By sending node.
  std::vector<std::uint32_t> zones_;  ///< By instance: number of the instance's zone.
};

}  // namespace overlane::run

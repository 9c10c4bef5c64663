#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/fabric/path.h"
#include "sim/random/stream.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/path/border.h"
#include "sim/run/path/ports.h"
#include "sim/run/path/rack_links.h"
#include "sim/run/path/shapers.h"

namespace overlane::run {

/// From a NIC to the port of another: what the fabric decides, limits and loses, and the time that
/// it takes.
class FabricPath {
 public:
  /// Referenced arguments must outlive this object.
  FabricPath(const Network& network, const RunOptions& options, std::size_t ends,
             Decisions& decisions, Packets& packets, Ports& ports, Border& border);

  /// Where a packet goes.
  struct Next {
    std::uint32_t to = 0;      ///< Node.
    std::uint16_t core = 0;    ///< Core that the receiving NIC picks.
    bool shows_ports = false;  ///< shows_ports()
    bool is_lost = false;      ///< The packet was dropped.
  };
  /// Decides about a packet that has left its node. Calls answer(error, from) for an ICMP error,
  /// which comes back to node `from`.
  template <typename Answer>
  Next decide(PacketId id, Answer answer) {
    packets_.count_hops();
    Packet& packet = packets_[id];
    packets_.leave_host(packet);
    if (const CachedDecision* known = decisions_.follow_fabric(packet))
      return Next{known->to, known->core, known->shows_ports};
    const std::uint32_t from = packet.node;
    const auto [next, error] = decide_anew(id);
    if (error != kNone) answer(error, from);
    return next;
  }
  /// A packet that its node's NIC has just sent.
  void enter(PacketId id);
  /// Whether a packet that leaves `from` at `at` and goes where `next` says passes the cap on its
  /// flow at once. If so, it counts as having passed.
  bool passes_cap(const Packet& packet, const Next& next, std::uint32_t from, Picos at) {
    return !network_.limits.single_flow || passes_own_cap(packet, next, from, at);
  }
  /// Through the fabric to packet.node, past its limits; it gets there from `from` at `at`.
  void cross(PacketId id, std::uint32_t from, Picos at);
  /// Packets come from nodes of another partition.
  void take(const Mail& mail, std::uint16_t partition);

  void flow_cap_passed(std::uint32_t node, std::uint16_t number);
  void allowance_passed(std::uint32_t node, std::uint16_t direction);
  /// A packet of `sender` has crossed the fabric, or has reached its rack's leaf. The answer is
  /// whose packet it is.
  EndpointId delay_passed(std::uint32_t sender, std::uint16_t way);
  void leaf_done(std::uint32_t number);
  /// Returns whose packet has reached the other leaf, as delay_passed() does.
  EndpointId spine_done(std::uint32_t number);

  [[gnu::always_inline]] void prefetch(std::uint32_t sender) const {
    core::prefetch(&ways_[sender]);
  }
  /// The instances of the fabric have changed.
  void number_zones();
  /// Null where the fabric has no limits.
  const NodeShapers* shapers(std::uint32_t node) const {
    return shapers_.empty() ? nullptr : &shapers_[node];
  }
  /// Null where the fabric has no racks.
  const RackLinks* racks() const { return racks_ ? &*racks_ : nullptr; }
  RackLinks* racks() { return racks_ ? &*racks_ : nullptr; }
  /// The packets of a node that wait for the cap on one of its flows, for one of its allowances, or
  /// for the delay of a fabric path.
  const Pipe& at_flow_cap(std::uint32_t node, std::uint16_t number) const {
    return shapers_[node].flows[number].pipe;
  }
  const Pipe& at_allowance(std::uint32_t node, std::uint16_t direction) const {
    return direction == kOut ? shapers_[node].out.pipe : shapers_[node].in.pipe;
  }
  const Pipe& in_delay(std::uint32_t sender, std::uint16_t way) const {
    return ways_[sender].lines[way].pipe;
  }
  void begin_measuring(Picos now) {
    if (racks_) racks_->begin_measuring(now);
  }

 private:
  /// A node's packets on fabric paths with one delay.
  struct DelayLine {
    Pipe pipe;   ///< Packets to this partition's nodes that are not in a port's list of arrivals.
    Picos last;  ///< Arrival of the last packet that took this path, in any partition.
  };
  /// The ways from one node: a cache line.
  struct alignas(64) WaysOut {
    explicit WaysOut(RandomStream random) : jitter(random) {}

    std::array<DelayLine, 2> lines;
    RandomStream jitter;
  };
  struct Answered {
    Next next;
    PacketId error = kNone;
  };

  Answered decide_anew(PacketId id);
  std::uint16_t cap_of(const Packet& packet, const Next& next, std::uint32_t from) {
    return shapers_[from].flows.number_of(next.shows_ports ? flow_with_ports(packet.sender)
                                                           : flow_without_ports(next.to));
  }
  void leave_instance(PacketId id, std::uint32_t from);
  std::optional<Picos> allowed(Allowance& allowance, PacketId id);
  bool passes_own_cap(const Packet& packet, const Next& next, std::uint32_t from, Picos at);
  bool passes(Shaper& shaper, PacketId id, Picos at, StationEvent event);
  PacketId let_pass(Shaper& shaper, StationEvent event);
  EndpointId reach_node(PacketId id);
  void leave_partition(PacketId id, std::uint32_t from, std::uint16_t way, Picos at);
  /// It is on its way from a node, and will have crossed the fabric at `at`.
  void come(PacketId id, std::uint32_t from, std::uint16_t way, Picos at) {
    if (!arrives_by_event_) return ports_.expect(id, from, way, at);
    packets_.wait(ways_[from].lines[way].pipe, id, at, {EventKind::PortArrive, from, way});
  }

  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Ports& ports_;
  Border& border_;
  /// Whether a packet's arrival at a port is an event: it has an effect there, or an observer.
  bool arrives_by_event_;
  std::vector<NodeShapers> shapers_;  ///< One per node; none where the fabric has no limits.
  fabric::LossProcess loss_;          ///< Loss process of all endpoints.
  std::optional<RackLinks> racks_;
  std::vector<WaysOut> ways_;         ///< By sending node.
  std::vector<std::uint32_t> zones_;  ///< By instance: number of its zone.
};

}  // namespace overlane::run

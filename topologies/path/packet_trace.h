#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "dataplane/byte_rewrite/byte_rewriter.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/forward/walk.h"
#include "dataplane/node/state/node_state.h"
#include "topologies/path/trace.h"

namespace overlane::path {

// The machinery of trace(). Tracer observes the decision about one packet on one node, turns it
// into hops, and rewrites the packet's bytes accordingly. PacketTrace carries packets, their
// fragments and ICMP errors from node to node over the VPC until none is left. Both refer to the
// states and to the Trace, which must outlive them. Used by one thread.

/// The record of one packet and of the ICMP error about it: hops and legs.
struct TraceRecord {
  std::vector<TracedPacket>& packets;
  std::vector<Hop>& hops;
  std::vector<Leg>& legs;
};

/// An Observer of forward::NodeDecision: records each decision as a hop (forward::StepObserver),
/// applies it to the packet's bytes (byte_rewrite::ByteRewriter), and records the bytes on each
/// tunnel device as a capture would.
class Tracer {
 public:
  Tracer(const node::NodeState& state, byte_rewrite::ByteRewriter& rewriter, TraceRecord record,
         std::uint32_t packet)
      : state_(state),
        teller_(state, steps_),
        rewriter_(rewriter),
        record_(record),
        packet_(packet),
        at_hand_(packet) {}

  /// The drop of the packet itself, not of the ICMP error about it.
  struct Lost {
    Drop drop = Drop::NoRoute;
    std::size_t hop = 0;
    forward::Packet packet;
  };
  const std::optional<Lost>& lost() const { return lost_; }
  /// Index of the packet, or of the packet that it is a fragment of, in Trace::packets.
  std::uint32_t packet() const { return packet_; }
  /// Index of the ICMP error about the packet; nothing without one.
  std::optional<std::uint32_t> error() const { return error_; }
  /// The hop that emitted each packet, in the order of the decision's emissions.
  const std::vector<std::size_t>& emissions() const { return emissions_; }

  // The callbacks of a forward::NodeDecision.
  void admitted(const forward::Packet& packet, const node::RouteMatch& reverse);
  void routed(const forward::Packet& packet, const node::RouteMatch& match);
  void fragmented(const forward::Packet& packet, std::uint32_t mtu, const node::RouteMatch& match,
                  const node::Device* device);
  void refragmented(const forward::Packet& packet, std::size_t fragments);
  std::optional<Drop> encapsulated(const forward::Packet& packet,
                                   const forward::Wrapping& wrapping);
  void decapsulated(const forward::Packet& packet, const node::Device& device,
                    const node::TunnelGuard* guard);
  void held(const forward::Packet& packet, const node::ReassemblyKey& key);
  void given_up(const node::ReassemblyKey& key);
  void reassembled(forward::Packet& packet, const node::ReassemblyKey& key);
  void translated(const forward::Packet& before, const forward::Packet& after,
                  const forward::Translation& translation);
  void answered(const forward::Packet& error, const forward::Packet& cause);
  void answer_ended();
  void held_back(IpAddress destination);
  void emitted(forward::Egress egress, const forward::Packet& packet, IpAddress next_hop);
  void dropped(Drop reason, const forward::Packet& packet, const forward::DropCause& cause);

 private:
  /// Converts the recorded steps to hops.
  void turn();
  void add_leg(const node::Device& device, bool leaves, std::span<const std::uint8_t> bytes);

  const node::NodeState& state_;
  std::vector<forward::Step> steps_;
  forward::StepObserver teller_;
  byte_rewrite::ByteRewriter& rewriter_;
  TraceRecord record_;
  std::uint32_t packet_;
  std::uint32_t at_hand_;  ///< The packet that steps belong to: `packet_` or the error.
  std::optional<std::uint32_t> error_;
  std::optional<Lost> lost_;
  std::vector<std::size_t> emissions_;
};

using Bytes = std::vector<std::uint8_t>;

/// Follows packets over nodes and the VPC to their ends and records each step for trace().
class PacketTrace {
 public:
  PacketTrace(const compile::Compiled& states, Trace& trace)
      : states_(states),
        trace_(trace),
        runtimes_(states.nodes.size()),
        held_(states.nodes.size()),
        walker_(states.fabric, &fabric_runtime_) {}

  /// State of a packet in transit.
  struct Load {
    std::uint32_t packet = 0;  ///< Index into Trace::packets.
    Bytes bytes;
    bool in_circles = false;  ///< The packet is in a loop, whose hops are not recorded again.
  };
  using InTransit = forward::InTransit<Load>;

  /// Follows the packets, and the packets that they cause, to their ends. Then drops incomplete
  /// fragments.
  void carry(std::vector<InTransit> packets);

  /// Makes later answers return from the service's address: `asked` is the request as sent to this
  /// address. Call it before carry() of the answer.
  void answer_as(const ServiceFront& service, const forward::Packet& asked);

  // The callbacks of a forward::Walker.
  void enter(InTransit arriving);
  std::optional<Load> crossed(InTransit& next, forward::FabricOutcome& fabric,
                              std::vector<forward::Step>& steps);

 private:
  using Place = std::tuple<std::uint32_t, forward::Ingress, std::uint32_t, IpAddress, IpAddress,
                           std::uint32_t, std::uint32_t, std::uint32_t, bool>;

  bool was_here(const InTransit& arriving, const forward::Packet& packet);
  void after(const InTransit& arriving, const Tracer& tracer, bool told);
  void leave(const forward::Emission& emission, InTransit& next, std::size_t hop);
  void end(const forward::Emission& emission, InTransit& here, std::size_t hop);
  void tell(std::vector<forward::Step>& steps, const Load& load, std::uint32_t error);
  void give_up();
  void lose(std::uint32_t packet, Failure failure);

  const compile::Compiled& states_;
  Trace& trace_;
  std::vector<node::NodeRuntime> runtimes_;
  std::vector<byte_rewrite::HeldBytes> held_;
  node::FabricRuntime fabric_runtime_;
  byte_rewrite::Buffers buffers_;
  Picos now_;
  forward::Walker<Load> walker_;
  std::set<Place> seen_;
  std::optional<ServiceFront> service_;  ///< The service that the answer returns through.
  forward::Packet asked_;

  // Scratch of the current node.
  forward::Outcome outcome_;
  std::vector<Bytes> sent_;
  std::vector<Hop> untold_;  ///< Hops of packets in a loop.
  std::vector<Leg> unseen_;
};

}  // namespace overlane::path

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "dataplane/forward/forward.h"
#include "dataplane/rebuild/follower.h"
#include "dataplane/rebuild/held_bytes.h"
#include "topologies/path/trace.h"
#include "topologies/path/tracer.h"

namespace overlane::path {

using Bytes = std::vector<std::uint8_t>;

/// Carries packets over nodes and the VPC to their ends, and writes down how: what trace() does
/// between a sender and a receiver.
class Journey {
 public:
  Journey(const compile::Compiled& states, Trace& trace)
      : states_(states),
        trace_(trace),
        runtimes_(states.nodes.size()),
        held_(states.nodes.size()) {}

  /// A packet about to enter a node.
  struct Arriving {
    std::uint32_t node = 0;
    forward::Ingress ingress = forward::Ingress::Pod;
    std::uint32_t packet = 0;  ///< Index into Trace::packets.
    Bytes bytes;
    bool in_circles = false;  ///< It was here before: not told again.
    /// It has just left the node into the VPC.
    std::optional<forward::Emission> crossing;
  };

  /// Carries it, and all that comes of it, to the end. Pieces that wait in vain are given up.
  void carry(std::vector<Arriving> packets);

  const node::NodeState& state(std::uint32_t node) const { return states_.nodes[node]; }
  const node::FabricState& fabric() const { return states_.fabric; }

  /// The answers' way back through a service: `asked` is the packet as the service's address
  /// answers it. Called before the answer is carried.
  void answer_as(const ServiceFront& service, const forward::Packet& asked);

 private:
  using Place = std::tuple<std::uint32_t, forward::Ingress, std::uint32_t, IpAddress, IpAddress,
                           std::uint32_t, std::uint32_t, std::uint32_t, bool>;

  void enter(Arriving arriving);
  bool was_here(const Arriving& arriving, const forward::Packet& packet);
  void after(const Arriving& arriving, const Tracer& tracer, bool told);
  void go_on(const forward::Emission& emission, Bytes bytes, Arriving next, std::size_t hop);
  void end(const forward::Emission& emission, Bytes bytes, const Arriving& here, std::size_t hop);
  void cross(Arriving next);
  void tell(std::vector<forward::Step>& steps, const Arriving& next, std::uint32_t error);
  void give_up();
  void lose(std::uint32_t packet, Failure failure);

  const compile::Compiled& states_;
  Trace& trace_;
  std::vector<node::NodeRuntime> runtimes_;
  std::vector<rebuild::HeldBytes> held_;
  node::FabricRuntime fabric_runtime_;
  rebuild::Buffers buffers_;
  Picos now_;
  std::vector<Arriving> todo_;  ///< A stack: each packet goes to its end before the next one.
  std::set<Place> seen_;
  std::optional<ServiceFront> service_;  ///< That the answer comes through.
  forward::Packet asked_;

  // Of the node that is at work.
  forward::Outcome outcome_;
  std::vector<Bytes> sent_;
  std::vector<Hop> untold_;  ///< Of what goes in circles.
  std::vector<Leg> unseen_;
};

}  // namespace overlane::path

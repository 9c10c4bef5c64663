#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "dataplane/byte_rewrite/byte_rewriter.h"
#include "dataplane/byte_rewrite/held_bytes.h"
#include "dataplane/forward/walk.h"
#include "topologies/path/trace.h"
#include "topologies/path/tracer.h"

namespace overlane::path {

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
    bool in_circles = false;  ///< It is in a loop: not reported again.
  };
  using InTransit = forward::InTransit<Load>;

  /// Follows the packets, and those they cause, to their ends. Incomplete fragments are dropped at
  /// the end.
  void carry(std::vector<InTransit> packets);

  /// Translates answers that return through a service: `asked` is the request as sent to the
  /// service's address. Call before carry() of the answer.
  void answer_as(const ServiceFront& service, const forward::Packet& asked);

  /// Callback of forward::walk.
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

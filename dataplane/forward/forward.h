#pragma once

#include "dataplane/forward/outcome.h"
#include "dataplane/net/units.h"
#include "dataplane/node/fabric_state.h"
#include "dataplane/node/node_runtime.h"
#include "dataplane/node/node_state.h"

namespace overlane::forward {

/// Decides what one node does with one packet. Replaces `outcome`; appends to `steps` when given.
void forward(const node::NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress, Picos now, Outcome& outcome, std::vector<Step>* steps = nullptr);

/// Where the fabric takes a packet.
struct FabricOutcome {
  std::optional<Drop> drop;
  std::uint32_t instance = 0;   ///< Receiving instance, when not dropped.
  std::uint8_t hops = 1;        ///< Router hops on the way: each costs one TTL when routed.
  Packet packet;                ///< As it arrives.
  std::optional<Packet> reply;  ///< ICMP error to the sender's instance.
};

/// Decides where the VPC takes a packet that instance `from` sent to `next_hop`.
void forward(const node::FabricState& state, const Packet& packet, std::uint32_t from,
             Ipv4Address next_hop, FabricOutcome& outcome, std::vector<Step>* steps = nullptr);

}  // namespace overlane::forward

#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet.h"
#include "dataplane/net/units.h"
#include "dataplane/node/runtime/fabric_runtime.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::forward {

// The model: what one Linux node, and the VPC between nodes, does with one packet.
// forward(NodeState…) is a node, forward(FabricState…) is the network. Both are functions of a
// state (dataplane/node/state), of what traffic has taught the node or the fabric so far
// (dataplane/node/runtime), of the packet and of the time. The other executors are checked
// against this one: dataplane/reference decides a second time on bytes, dataplane/kernel asks a
// real kernel, and dataplane/adjacency and dataplane/byte_rewrite reuse the decision sequence
// of node_decision.h. A packet here is a descriptor (packet.h), not bytes. States are only
// read; a runtime belongs to one thread at a time.

/// Decides what one node does with one packet. Replaces `outcome`; appends to `steps` when given.
///
/// Follows Linux: route lookup, reverse path filter, hop limit, MTU, encapsulation with a second
/// lookup for the outer packet; on the way in reassembly of what is for the node, the tunnel source
/// filter, decapsulation, and the same again for the inner packet. Fragments on their way through
/// are forwarded one by one, or, with connection tracking, put together first and taken apart at
/// the end. An ICMP error travels as any packet and is never answered with another; one that cannot
/// be sent is given up silently, and the node sends none about packets of its own.
void forward(const node::NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress, Picos now, Outcome& outcome, std::vector<Step>* steps = nullptr);

/// What the node tells the sender of a packet whose fragments did not all come in time: `lost` was
/// taken out of `runtime.reassembly`. Replaces `outcome`, whose emissions are the ICMP error.
void time_out(const node::NodeState& state, node::NodeRuntime& runtime,
              const node::ReassemblyTable::Expired& lost, Picos now, Outcome& outcome,
              std::vector<Step>* steps = nullptr);

/// Where the fabric takes a packet.
struct FabricOutcome {
  std::optional<Drop> drop;
  std::uint32_t instance = 0;  ///< Receiving instance, when not dropped.
  /// The instance that the packet was routed to, also when it was dropped behind that.
  std::optional<std::uint32_t> routed_to;
  std::uint8_t hops = 0;        ///< Hop-limit decrements on the way, already taken off `packet`.
  Packet packet;                ///< The packet as it arrives.
  std::optional<Packet> reply;  ///< ICMP error to the sender's instance.
  std::optional<Packet> denied_reply;  ///< Such an error that the fabric's packet filter dropped.
};

/// Decides where the VPC takes a packet that instance `from` sent to `next_hop`. A next hop that is
/// an instance in the sender's subnet gets the packet; any other stands for the subnet's router,
/// which looks the destination up. Checks come in this order: the sender's source check, protocol
/// filter, denied packets, order of fragments, the links' MTU, route, the path's MTU, hop limit,
/// the receiver's destination check and its security groups. The fabric never fragments: what is
/// too large is dropped, and answered when it has DF set. Without a `runtime` every packet is
/// judged alone: as one that opens a connection, and fragments as in order. An `owners` of this
/// state saves looking at all instances. Before all of these comes the sender's own kernel: it
/// drops packets whose next hop does not answer (node::answers_for).
void forward(const node::FabricState& state, const Packet& packet, std::uint32_t from,
             IpAddress next_hop, FabricOutcome& outcome, std::vector<Step>* steps = nullptr,
             node::FabricRuntime* runtime = nullptr, Picos now = {},
             const node::InstanceOwners* owners = nullptr);

// Security groups and deny rules of the VPC: which packets the cloud lets into an instance, and
// which it drops between instances. Security groups are stateful, so answers pass when a
// FabricRuntime remembers the request. Deny rules (network ACLs and the like) have no memory.

/// Whether the security groups of instance `to` take a packet that instance `from` sends: by a
/// rule, or as an answer that `runtime` expects. Without a runtime only rules count. A later
/// fragment has no ports, so no rule with ports takes it. An ICMP error passes with the answers to
/// the packet it quotes.
bool admits(const node::FabricState& state, std::uint32_t from, std::uint32_t to,
            const Packet& packet, node::FabricRuntime* runtime = nullptr, Picos now = {});

/// The rule of the security groups of instance `to` that takes a packet that instance `from` sends
/// and that opens a connection; nothing when none does or none is asked.
struct TakingRule {
  const node::SecurityGroup* group = nullptr;
  const node::FabricRule* rule = nullptr;
};
std::optional<TakingRule> taking_rule(const node::FabricState& state, std::uint32_t from,
                                      std::uint32_t to, const Packet& packet);

/// The first entry of the fabric's packet filter that drops the packet; nothing when none does.
const node::DenyRule* denying_rule(const node::FabricState& state, const Packet& packet);

}  // namespace overlane::forward

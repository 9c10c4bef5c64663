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

// The model of the dataplane: how one Linux node, and the VPC between the nodes, treat one packet.
// forward(NodeState…) decides on a node, forward(FabricState…) decides in the network. A decision
// depends on a state (dataplane/node/state), on the runtime, which holds everything that earlier
// traffic has taught the node or the fabric (dataplane/node/runtime), on the packet and on the
// time. This model is the reference of the other executors: dataplane/reference decides a second
// time on bytes, dataplane/kernel sends the packet through a real kernel, and dataplane/adjacency
// and dataplane/byte_rewrite reuse the decision sequence of node_decision.h. A packet here is a
// descriptor (packet.h) without bytes. The functions only read a state; a runtime belongs to one
// thread at a time.

/// Decides how one node treats one packet. Replaces `outcome`; appends to `steps` if given.
///
/// Follows Linux. A packet in transit passes route lookup, reverse path filter, hop limit, MTU and
/// encapsulation with a second lookup for the outer packet. A packet for the node itself passes
/// reassembly, the tunnel source filter and decapsulation; its inner packet then starts again from
/// the beginning. Without connection tracking, fragments in transit are forwarded one by one. With
/// connection tracking they are reassembled first and fragmented again at the end. An ICMP error
/// travels like any other packet and never causes another error. An error that cannot be sent is
/// dropped silently. The node sends no errors about its own packets.
void forward(const node::NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress, Picos now, Outcome& outcome, std::vector<Step>* steps = nullptr);

/// Makes the ICMP error about a packet whose reassembly has timed out. `lost` is the entry that the
/// caller took out of `runtime.reassembly`. Replaces `outcome`, whose emissions are the error;
/// there are none if the node sends no error.
void time_out(const node::NodeState& state, node::NodeRuntime& runtime,
              const node::ReassemblyTable::Expired& lost, Picos now, Outcome& outcome,
              std::vector<Step>* steps = nullptr);

/// The fabric's decision about one packet.
struct FabricOutcome {
  std::optional<Drop> drop;
  std::uint32_t instance = 0;  ///< Receiving instance, when not dropped.
  /// The instance that the packet was routed to, even if it was dropped afterwards.
  std::optional<std::uint32_t> routed_to;
  std::uint8_t hops = 0;  ///< Hop-limit decrements on the path, already subtracted in `packet`.
  Packet packet;          ///< The packet as it arrives.
  std::optional<Packet> reply;         ///< ICMP error to the sender's instance.
  std::optional<Packet> denied_reply;  ///< ICMP error that the fabric's packet filter dropped.
};

/// Decides where the VPC delivers a packet that instance `from` sent to `next_hop`. If the next hop
/// is an instance in the sender's subnet, that instance gets the packet. Any other next hop means
/// the subnet's router, which looks the destination up. The checks, in order: whether the next hop
/// answers the sender's ARP or neighbour discovery (node::answers_for), the sender's source check,
/// protocol filter, denied packets, order of fragments, the links' MTU, route, the path's MTU, hop
/// limit, the receiver's destination check and its security groups. The fabric never fragments: it
/// drops a packet that is too large, and sends an ICMP error if the packet has DF set or is IPv6.
/// Without a `runtime` the fabric treats every packet as the first of its connection, and every
/// fragment as in order. `owners`, if given, must be built from `state`; it replaces the linear
/// search over all instances.
void forward(const node::FabricState& state, const Packet& packet, std::uint32_t from,
             IpAddress next_hop, FabricOutcome& outcome, std::vector<Step>* steps = nullptr,
             node::FabricRuntime* runtime = nullptr, Picos now = {},
             const node::InstanceOwners* owners = nullptr);

// Security groups and deny rules of the VPC. Security groups decide which packets the cloud admits
// to an instance. They are stateful: an answer passes if a FabricRuntime remembers the request.
// Deny rules (network ACLs, for example) drop packets between instances. They are stateless.

/// Returns whether the security groups of instance `to` admit a packet that instance `from` sends:
/// by a rule, or as an answer that `runtime` expects. Without a runtime only rules count. A later
/// fragment has no ports, so no rule with ports admits it. An ICMP error passes if answers to the
/// packet that it quotes pass.
bool admits(const node::FabricState& state, std::uint32_t from, std::uint32_t to,
            const Packet& packet, node::FabricRuntime* runtime = nullptr, Picos now = {});

/// The rule of a security group that admits the first packet of a connection.
struct AdmittingRule {
  const node::SecurityGroup* group = nullptr;
  const node::FabricRule* rule = nullptr;
};
/// Returns the rule that admits a packet that instance `from` sends to instance `to` and that opens
/// a connection. Returns nothing if no rule admits it or no security group applies.
std::optional<AdmittingRule> admitting_rule(const node::FabricState& state, std::uint32_t from,
                                            std::uint32_t to, const Packet& packet);

/// Returns the first entry of the fabric's packet filter that drops the packet; null if there is
/// none.
const node::DenyRule* denying_rule(const node::FabricState& state, const Packet& packet);

}  // namespace overlane::forward

#include "dataplane/reference/reference.h"

namespace overlane::reference {

forward::Outcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, forward::Ingress ingress, Picos now) {
  ByteNode node(state, runtime, now);
  node.run(encode(packet), ingress, nullptr, &packet);
  forward::Outcome outcome{.drop = node.drop, .held = node.held};
  for (const ByteNode::Sent& sent : node.sent) {
    outcome.emissions.push_back(
        {sent.egress, decode(sent.bytes, node.tunnel_ports()), sent.next_hop, sent.is_reply});
  }
  return outcome;
}

ByteOutcome forward(const node::NodeState& state, node::NodeRuntime& runtime, HeldPieces& pieces,
                    const Bytes& bytes, forward::Ingress ingress, Picos now) {
  ByteNode node(state, runtime, now);
  node.run(bytes, ingress, &pieces, nullptr);
  return {std::move(node.sent), node.drop, node.held};
}

}  // namespace overlane::reference

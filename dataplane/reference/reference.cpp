#include "dataplane/reference/reference.h"

namespace overlane::reference {
namespace {

forward::Outcome decoded(const node::TunnelPorts& ports, const ByteOutcome& outcome) {
  forward::Outcome decoded{.drop = outcome.drop, .held = outcome.held};
  for (const ByteNode::Sent& sent : outcome.sent) {
    decoded.emissions.push_back(
        {sent.egress, decode(sent.bytes, ports), sent.next_hop, sent.is_reply});
  }
  return decoded;
}

}  // namespace

forward::Outcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, forward::Ingress ingress, Picos now) {
  ByteNode node(state, runtime, now);
  node.run(encode(packet), ingress, nullptr, &packet);
  return decoded(tunnel_ports(state, &packet), {std::move(node.sent), node.drop, node.held});
}

ByteOutcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                    HeldFragments& fragments, const Bytes& bytes, forward::Ingress ingress,
                    Picos now) {
  ByteNode node(state, runtime, now);
  node.run(bytes, ingress, &fragments, nullptr);
  return {std::move(node.sent), node.drop, node.held};
}

forward::Outcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                          const node::ReassemblyTable::Expired& lost, Picos now) {
  ByteNode node(state, runtime, now);
  node.time_out(lost, nullptr);
  return decode(state, {.sent = std::move(node.sent)});
}

ByteOutcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                     HeldFragments& fragments, const node::ReassemblyTable::Expired& lost,
                     Picos now) {
  ByteNode node(state, runtime, now);
  node.time_out(lost, &fragments);
  return {.sent = std::move(node.sent)};
}

forward::Outcome decode(const node::NodeState& state, const ByteOutcome& outcome) {
  return decoded(node::tunnel_ports(state), outcome);
}

}  // namespace overlane::reference

#pragma once

#include <string>

#include "dataplane/forward/forward.h"
#include "dataplane/reference/byte_node.h"

namespace overlane::reference {

// The oracle: a second implementation of forward(), which decides on real bytes in the slow and
// obvious way. It shares with the model only wire formats, the state's values and NodeRuntime;
// tables are searched from end to end and headers are built field by field. compare() reports the
// first difference between both. Simulation runs check a sample of their packets with it.

/// Makes the decisions of forward::forward in the slow and obvious way: it encodes the packet as
/// bytes, every station parses them again, tables are scanned from end to end, headers are built
/// field by field, and the resulting bytes are decoded. It shares wire formats, the state's values
/// and the tables of learned state (NodeRuntime) with the fast core, but none of its decisions, so
/// that the two can disagree.
///
/// `runtime` must be as it was before the fast core saw the packet (a copy).
forward::Outcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, forward::Ingress ingress, Picos now);

/// The outcome of the byte path for one packet, as bytes.
struct ByteOutcome {
  std::vector<ByteNode::Sent> sent;
  std::optional<Drop> drop;
  std::optional<node::ReassemblyKey> held;
};

/// Makes the decision on real bytes, from the outermost IP header on; `fragments` belongs to
/// `runtime`.
ByteOutcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                    HeldFragments& fragments, const Bytes& bytes, forward::Ingress ingress,
                    Picos now);

/// The counterpart of forward::time_out.
forward::Outcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                          const node::ReassemblyTable::Expired& lost, Picos now);
ByteOutcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                     HeldFragments& fragments, const node::ReassemblyTable::Expired& lost,
                     Picos now);

/// Decodes the outcome from the view of the node that sent the packets.
forward::Outcome decode(const node::NodeState& state, const ByteOutcome& outcome);

forward::FabricOutcome forward(const node::FabricState& fabric, const forward::Packet& packet,
                               std::uint32_t from, IpAddress next_hop,
                               node::FabricRuntime* runtime = nullptr, Picos now = {});

/// Empty if both outcomes are equal, else the first difference in one line. Inside a fragment of an
/// encapsulated packet nothing can be seen, so only its outer header is compared.
std::string compare(const forward::Outcome& fast, const forward::Outcome& reference);
std::string compare(const forward::FabricOutcome& fast, const forward::FabricOutcome& reference);

}  // namespace overlane::reference

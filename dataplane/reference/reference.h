#pragma once

#include <string>

#include "dataplane/forward/forward.h"
#include "dataplane/reference/byte_node.h"

namespace overlane::reference {

// The byte path (reference): a second implementation of forward::forward, and the oracle of its
// tests. It decides on real bytes in the slow and obvious way: every step parses the bytes again,
// tables are scanned from end to end, headers are built field by field. Callers that ask often
// about large tables give it indices of its own (table_index.h). It shares wire formats, the
// state's values and the tables of learned state (NodeRuntime) with the fast executors, but none of
// their decisions, so that the two can disagree. compare() reports the first difference. Simulation
// runs check a sample of their packets with it. The functions only read a state; a runtime and its
// fragments belong to one thread at a time.

/// Makes the decision of forward::forward about one packet: encodes it as bytes, decides on them,
/// and decodes the results. `runtime` must be as it was before the fast executor decided (a copy).
/// `indices` may be null.
forward::Outcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, forward::Ingress ingress, Picos now,
                         TableIndices* indices = nullptr);

/// The outcome of the byte path for one packet, as bytes.
struct ByteOutcome {
  std::vector<ByteNode::Sent> sent;
  std::optional<Drop> drop;
  std::optional<node::ReassemblyKey> held;
};

/// Makes the decision about one packet given as bytes, from the outermost IP header on. `fragments`
/// holds the bytes of the fragments in runtime.reassembly; both must always be used together.
ByteOutcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                    HeldFragments& fragments, const Bytes& bytes, forward::Ingress ingress,
                    Picos now);

/// The counterparts of forward::time_out, on descriptors and on bytes.
forward::Outcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                          const node::ReassemblyTable::Expired& lost, Picos now);
ByteOutcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                     HeldFragments& fragments, const node::ReassemblyTable::Expired& lost,
                     Picos now);

/// Decodes the packets of an outcome. Tunnels are recognised by the ports of the node in `state`.
forward::Outcome decode(const node::NodeState& state, const ByteOutcome& outcome);

/// Makes the decision of forward::forward about a packet in the fabric. `runtime` may be null: the
/// fabric then remembers no connections and no fragments. `indices` may be null.
forward::FabricOutcome forward(const node::FabricState& fabric, const forward::Packet& packet,
                               std::uint32_t from, IpAddress next_hop,
                               node::FabricRuntime* runtime = nullptr, Picos now = {},
                               TableIndices* indices = nullptr);

/// Returns the first difference between both outcomes in one line, or an empty string. Of a
/// fragment of an encapsulated packet, only the outer header is compared, because no node can
/// decode the rest.
std::string compare(const forward::Outcome& fast, const forward::Outcome& reference);
std::string compare(const forward::FabricOutcome& fast, const forward::FabricOutcome& reference);

}  // namespace overlane::reference

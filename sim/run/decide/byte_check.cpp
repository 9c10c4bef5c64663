#include "sim/run/decide/byte_check.h"

#include <algorithm>
#include <utility>

#include "dataplane/reference/reference.h"

namespace overlane::run {

ByteCheck::ByteCheck(std::uint64_t seed, std::size_t nodes, std::size_t ends)
    : key_(murmur_mix(seed + 1)),
      last_sampled_(UINT64_MAX / std::max<std::uint64_t>(kSampling, nodes)),
      last_first_(UINT64_MAX) {
  if (ends / 2 > kFirstOfFlows) last_first_ = UINT64_MAX / (ends / 2) * kFirstOfFlows;
}

template <typename Decide>
ByteCheck::Expected ByteCheck::expect(node::NodeRuntime& runtime, Decide decide) {
  node::ConntrackTable connections = std::exchange(runtime.connections, {});
  Expected expected{.learned = runtime};
  expected.learned.connections = std::move(connections);
  expected.learned.connections.checkpoint();
  expected.outcome = decide(expected.learned);
  expected.connections = expected.learned.connections.changes();
  expected.learned.connections.roll_back();
  runtime.connections = std::exchange(expected.learned.connections, {});
  return expected;
}

ByteCheck::Expected ByteCheck::expect(const node::NodeState& state, node::NodeRuntime& runtime,
                                      const forward::Packet& packet, forward::Ingress ingress,
                                      Picos now) {
  return expect(runtime, [&](node::NodeRuntime& learned) {
    return reference::forward(state, learned, packet, ingress, now, &indices_);
  });
}

ByteCheck::Expected ByteCheck::expect(const node::NodeState& state, node::NodeRuntime& runtime,
                                      const node::ReassemblyTable::Expired& lost, Picos now) {
  return expect(runtime, [&](node::NodeRuntime& learned) {
    return reference::time_out(state, learned, lost, now);
  });
}

void ByteCheck::node(const node::NodeState& state, const Expected& expected,
                     node::NodeRuntime& runtime, const forward::Outcome& decided) {
  std::string difference = reference::compare(decided, expected.outcome);
  if (difference.empty() && runtime.connections.changes() != expected.connections) {
    difference = "it remembers other connections";
  }
  node::ConntrackTable connections = std::exchange(runtime.connections, {});
  if (difference.empty() && runtime != expected.learned)
    difference = "it has learned something else";
  runtime.connections = std::move(connections);
  count(state.member().name, difference);
}

void ByteCheck::fabric(const node::FabricState& state, node::FabricRuntime& before,
                       const forward::Packet& packet, std::uint32_t from, IpAddress next_hop,
                       Picos now, const forward::FabricOutcome& decided) {
  const forward::FabricOutcome expected =
      reference::forward(state, packet, from, next_hop, &before, now, &indices_);
  count(state.name, reference::compare(decided, expected));
}

void ByteCheck::count(const std::string& place, const std::string& difference) {
  ++counts_.checked;
  if (difference.empty()) return;
  ++counts_.mismatched;
  if (first_mismatch_.empty()) first_mismatch_ = place + ": " + difference;
}

}  // namespace overlane::run

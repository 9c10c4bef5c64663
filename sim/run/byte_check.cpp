#include "sim/run/byte_check.h"

#include "dataplane/reference/reference.h"
#include "sim/random/stream.h"

namespace overlane::run {

bool ByteCheck::samples(EndId sender, std::int64_t number) const {
  const std::uint64_t packet = std::uint64_t{sender} << 40 ^ static_cast<std::uint64_t>(number);
  return RandomStream(seed_, StreamUse::ByteSample, packet).below(kSampling) == 0;
}

void ByteCheck::node(const node::NodeState& state, node::NodeRuntime& before,
                     const forward::Packet& packet, forward::Ingress ingress, Picos now,
                     const forward::Outcome& decided) {
  const forward::Outcome expected = reference::forward(state, before, packet, ingress, now);
  count(state.member().name, reference::compare(decided, expected));
}

void ByteCheck::fabric(const node::FabricState& state, node::FabricRuntime& before,
                       const forward::Packet& packet, std::uint32_t from, IpAddress next_hop,
                       Picos now, const forward::FabricOutcome& decided) {
  const forward::FabricOutcome expected =
      reference::forward(state, packet, from, next_hop, &before, now);
  count(state.name, reference::compare(decided, expected));
}

void ByteCheck::count(const std::string& place, const std::string& difference) {
  ++counts_.checked;
  if (difference.empty()) return;
  ++counts_.mismatched;
  if (first_mismatch_.empty()) first_mismatch_ = place + ": " + difference;
}

}  // namespace overlane::run

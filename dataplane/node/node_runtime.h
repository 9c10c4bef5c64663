#pragma once

#include <array>
#include <cstdint>

#include "dataplane/node/conntrack.h"
#include "dataplane/node/icmp_limit.h"
#include "dataplane/node/path_mtu.h"
#include "dataplane/node/reassembly.h"

namespace overlane::node {

/// Where a node's IPv4 identification numbers come from: a counter per bucket of destinations, as
/// in Linux (ip_idents, net/ipv4/route.c), but smaller and starting at zero, so that a run repeats.
class IdentificationCounters {
 public:
  std::uint16_t next(IpAddress destination) {
    return counters_[(static_cast<std::uint32_t>(destination.low) * 0x9e3779b1u) >> 26]++;
  }
  bool operator==(const IdentificationCounters&) const = default;

 private:
  std::array<std::uint16_t, 64> counters_{};
};

/// What a node's kernel learns while it runs: bounded tables with their own expiry that never bump
/// the state's generation. A value.
struct NodeRuntime {
  IdentificationCounters identification;
  PathMtuCache path_mtus;
  ReassemblyTable reassembly;
  ConntrackTable connections;
  IcmpLimit icmp_limit;

  bool operator==(const NodeRuntime&) const = default;
};

struct NodeState;
/// To be called after each change of a state, since it cannot be seen from the state alone: forgets
/// the connections masqueraded as an address that their device has lost, or through a device that
/// is down or gone.
void forget_lost_devices(NodeRuntime& runtime, const NodeState& state);

}  // namespace overlane::node

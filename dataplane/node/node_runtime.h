#pragma once

#include <array>
#include <cstdint>

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

  bool operator==(const NodeRuntime&) const = default;
};

}  // namespace overlane::node

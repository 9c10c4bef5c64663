#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/adjacency/burst.h"
#include "dataplane/dpdk/lpm.h"

struct rte_mbuf;

namespace overlane::dpdk {

/// A state with everything that forwards by it. Immutable once made; what is replaced is the whole.
struct Generation {
  adjacency::Compiled compiled;
  Lpm lpm;
};

/// Compiles a state and fills its tables.
Parsed<std::unique_ptr<const Generation>> generation(std::shared_ptr<const node::NodeState> state,
                                                     const adjacency::Resolve& resolve);

/// Packets that leave through one port.
struct Departures {
  std::array<rte_mbuf*, adjacency::kBurst> packets;
  std::uint32_t count = 0;

  void add(rte_mbuf* packet) { packets[count++] = packet; }
};

/// What came of a burst. Every packet is in one of these lists.
struct Sorted {
  Departures to_pods;
  Departures to_uplink;
  Departures left;  ///< For the full path, untouched.
};

/// Takes the adjacencies of a generation for at most kBurst packets that came in from `ingress`
/// (Pod or Uplink), through the port that has `mac`. Replaces `sorted`.
void take(const Generation& generation, const adjacency::Exceptions& exceptions,
          node::IdentificationCounters& identification, forward::Ingress ingress,
          const MacAddress& mac, std::span<rte_mbuf* const> packets, Sorted& sorted);

}  // namespace overlane::dpdk

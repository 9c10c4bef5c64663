#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dataplane/dpdk/io/send_queue.h"
#include "dataplane/dpdk/tables/generation.h"
#include "dataplane/forward/outcome.h"

struct rte_mbuf;

namespace overlane::dpdk {

/// Packets that no adjacency took.
struct Left {
  std::array<rte_mbuf*, adjacency::kBurst> packets;
  std::size_t count = 0;

  std::span<rte_mbuf* const> all() const { return {packets.data(), count}; }
};

/// Takes the adjacencies of a generation for at most kBurst packets that came in from `ingress`
/// (Pod or Uplink), through the port that has `mac`, and puts them on the queue that each leaves
/// by. Replaces `left` by the rest, untouched, for the full path.
void take(const Generation& generation, const adjacency::PuntFilter& exceptions,
          node::IdentificationCounters& identification, forward::Ingress ingress,
          const MacAddress& mac, std::span<rte_mbuf* const> packets, SendQueue& to_pods,
          SendQueue& to_uplink, Left& left);

}  // namespace overlane::dpdk

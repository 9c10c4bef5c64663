#pragma once

#include <memory>

#include "dataplane/dpdk/slow_path.h"
#include "dataplane/dpdk/worker.h"

namespace overlane::dpdk {

/// What a node did since it began.
struct ForwardCounters {
  std::uint64_t received = 0;
  std::uint64_t ahead = 0;      ///< Taken by adjacencies; the slow path took the others.
  std::uint64_t to_pods = 0;    ///< Sent.
  std::uint64_t to_uplink = 0;  ///< Sent.
  std::size_t held = 0;         ///< Fragments whose rest is waited for.
  SlowCounters slow;            ///< With all drops.
};

/// The ports of a node.
struct NodePorts {
  const Port& pods;
  const Port& uplink;
  const Port* host = nullptr;  ///< To the node's own network stack, if it has one.
};

/// A node between its ports, all on the calling core: adjacencies first, then the slow path.
class Forwarder {
 public:
  /// All must outlive it. `burst` is at most adjacency::kBurst.
  Forwarder(const PacketPool& pool, const NodePorts& ports, std::uint16_t burst);

  /// Forwards by another generation from the next packet on. To be called before the first poll().
  void replace(std::shared_ptr<const Generation> generation, Picos now);

  /// Forwards a burst of each port, and does what time asks for. How many packets came.
  std::size_t poll(Picos now);

  const Generation& generation() const { return slow_.generation(); }
  const node::NodeRuntime& runtime() const { return slow_.runtime(); }
  ForwardCounters counters() const;

 private:
  /// Receives a burst from the host, all of it for the slow path.
  std::size_t poll_host(Picos now);

  SendQueue to_pods_;
  SendQueue to_uplink_;
  std::optional<SendQueue> to_host_;
  SlowPath slow_;
  Worker worker_;
  Count from_host_;
  Picos next_tick_;
};

}  // namespace overlane::dpdk

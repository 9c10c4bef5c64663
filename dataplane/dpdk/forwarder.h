#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/slow/slow_path.h"
#include "dataplane/dpdk/worker/worker_team.h"

namespace overlane::dpdk {

// The node of overlane-fastpath. Workers apply adjacencies (decisions prepared for a next hop) to
// bursts of packets from DPDK ports; the slow path processes all other packets. Forwarder runs on
// the calling core, either alone or with a WorkerTeam on further cores. Only the main core changes
// what the node has learned, such as neighbours.

/// Counters of a node since its start. Each received frame is counted once: in `ahead`, in
/// `backlog_full`, or in `full`, `neighbours` or `refused` of `slow`. While the node runs, some
/// frames are still between these counters.
struct ForwardCounters {
  std::uint64_t received = 0;
  std::uint64_t ahead = 0;  ///< Forwarded by adjacencies; the slow path took the other packets.
  std::uint64_t backlog_full = 0;  ///< Dropped before the slow path because its queue was full.
  std::uint64_t to_pods = 0;       ///< Sent.
  std::uint64_t to_uplink = 0;     ///< Sent.
  std::uint64_t to_host = 0;       ///< Sent to the host, or delivered here if the host has no port.
  std::size_t held = 0;            ///< Fragments that wait for the rest of their packet.
  std::size_t waiting = 0;         ///< Packets that wait for a neighbour's answer.
  LinkCounters links;
  SlowCounters slow;  ///< Includes all drops.

  /// Packets received or created, and packets sent, held or dropped. Both numbers are equal between
  /// two polls of a node on one core.
  std::uint64_t packets_in() const {
    return ahead + slow.full + slow.errors_made + slow.fragments_made;
  }
  std::uint64_t packets_out() const {
    const auto drops = static_cast<std::uint64_t>(slow.drops.total());
    return to_pods + to_uplink + to_host + held + waiting + slow.fragments_joined + drops -
           slow.refused - backlog_full;
  }
};

/// Forwards packets between the ports of a node: by adjacencies first, then on the slow path.
/// Without a team the calling core does all the work. With a team, its cores apply the adjacencies,
/// and the calling core runs the slow path and the port to the host.
class Forwarder {
 public:
  /// All arguments must outlive the Forwarder. The ports must have WorkerTeam::queues() queues, and
  /// the team must use the same ports. `burst` is at most adjacency::kBurst.
  Forwarder(const PacketPool& pool, const NodePorts& ports, std::uint16_t burst,
            std::unique_ptr<WorkerTeam> team = nullptr);

  /// Forwards by `generation` from the next packet on. Must be called before the first poll().
  void replace(std::shared_ptr<const Generation> generation, Picos now);

  /// Starts the team. Must be called after the first replace().
  Result<void, std::string> start_team();
  /// Stops the team and processes the packets that it handed over. Does nothing on one core.
  void stop_team(Picos now);

  /// Drops the packets that wait for a neighbour's address.
  void give_up_waiting() { slow_.give_up_waiting(); }

  /// Forwards a burst from each port and from each worker, and runs the timers that are due.
  /// Returns the number of packets received.
  std::size_t poll(Picos now);

  const Generation& generation() const { return slow_.generation(); }
  const node::NodeRuntime& runtime() const { return slow_.runtime(); }
  ForwardCounters counters() const;

 private:
  /// Receives a burst from the host and passes it to the slow path.
  std::size_t poll_host(Picos now);
  /// Processes the packets that the team handed over.
  std::size_t poll_team(Picos now);

  SendQueue to_pods_;
  SendQueue to_uplink_;
  std::optional<SendQueue> to_host_;
  SlowPath slow_;
  Worker worker_;
  std::unique_ptr<WorkerTeam> team_;  ///< Null on one core.
  Count from_host_;
  Picos next_tick_;
};

/// Counters of a running node at one time.
struct ForwardReport {
  Picos at;                   ///< Time since the start.
  std::uint64_t changes = 0;  ///< Node states applied after the first one.
  ForwardCounters counters;
  std::uint64_t buffers_in_use = 0;
  std::vector<std::pair<std::string, PortCounters>> ports;  ///< Counters of each port, by side.
};

nlohmann::ordered_json encode(const ForwardReport& report);

/// The report as a few lines of text.
std::string to_text(const ForwardReport& report);

}  // namespace overlane::dpdk

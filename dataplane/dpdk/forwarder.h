#pragma once

#include <memory>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/slow/slow_path.h"
#include "dataplane/dpdk/worker/worker_team.h"

namespace overlane::dpdk {

// overlane-fastpath's node: workers apply adjacencies to bursts from DPDK ports, and the slow
// path takes the rest. Forwarder runs on the calling core, alone or with a WorkerTeam.
// Everything that a node learns is changed on the main core only.

/// What a node did since it began. Every frame that came is counted once: as ahead, as a backlog
/// drop, or in one of `slow`'s first three counters; while it runs some are on their way.
struct ForwardCounters {
  std::uint64_t received = 0;
  std::uint64_t ahead = 0;         ///< Taken by adjacencies; the slow path took the others.
  std::uint64_t backlog_full = 0;  ///< Not taken by the slow path, which had too many waiting.
  std::uint64_t to_pods = 0;       ///< Sent.
  std::uint64_t to_uplink = 0;     ///< Sent.
  std::uint64_t to_host = 0;       ///< Sent, or ended here where the host has no port.
  std::size_t held = 0;            ///< Fragments whose rest is waited for.
  std::size_t waiting = 0;         ///< Packets that wait for a neighbour's answer.
  LinkCounters links;
  SlowCounters slow;  ///< With all drops.

  /// Packets that came or were made, and what became of them: the same number on one core that is
  /// between two polls.
  std::uint64_t packets_in() const {
    return ahead + slow.full + slow.errors_made + slow.fragments_made;
  }
  std::uint64_t packets_out() const {
    const auto drops = static_cast<std::uint64_t>(slow.drops.total());
    return to_pods + to_uplink + to_host + held + waiting + slow.fragments_joined + drops -
           slow.refused - backlog_full;
  }
};

/// A node between its ports: adjacencies first, then the slow path. All of it on the calling core;
/// or, with a team, what adjacencies take is on the team's cores, and the calling core has the rest
/// and the port to the host.
class Forwarder {
 public:
  /// All must outlive it. The ports have WorkerTeam::queues(); the team is of them. `burst` is at
  /// most adjacency::kBurst.
  Forwarder(const PacketPool& pool, const NodePorts& ports, std::uint16_t burst,
            std::unique_ptr<WorkerTeam> team = nullptr);

  /// Forwards by another generation from the next packet on. To be called before the first poll().
  void replace(std::shared_ptr<const Generation> generation, Picos now);

  /// Lets the team begin, behind the first replace().
  Result<void, std::string> start_team();
  /// Lets the team end, and takes what it has left; nothing on one core.
  void stop_team(Picos now);

  /// Drops what waits for neighbours.
  void give_up_waiting() { slow_.give_up_waiting(); }

  /// Forwards a burst of each port and of each worker's packets, and does what time asks for. How
  /// many packets came.
  std::size_t poll(Picos now);

  const Generation& generation() const { return slow_.generation(); }
  const node::NodeRuntime& runtime() const { return slow_.runtime(); }
  ForwardCounters counters() const;

 private:
  /// Receives a burst from the host, all of it for the slow path.
  std::size_t poll_host(Picos now);
  /// What the team left.
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

/// What a running node has done by now.
struct ForwardReport {
  Picos at;                   ///< Since it began.
  std::uint64_t changes = 0;  ///< States that came after the first.
  ForwardCounters counters;
  std::uint64_t buffers_in_use = 0;
  std::vector<std::pair<std::string, PortCounters>> ports;  ///< By their side.
};

nlohmann::ordered_json encode(const ForwardReport& report);

/// The report as a few lines of text.
std::string to_text(const ForwardReport& report);

}  // namespace overlane::dpdk

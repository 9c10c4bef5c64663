#pragma once

#include <memory>
#include <vector>

#include "dataplane/dpdk/tables/publication.h"
#include "dataplane/dpdk/worker/worker.h"

namespace overlane::dpdk {

// The worker cores of a node. Each core has its own receive and send queue of every port, so that
// cores share no lock. Packets that no adjacency took go to the main core through a ring.

/// The ports of a node.
struct NodePorts {
  const Port& pods;
  const Port& uplink;
  const Port* host = nullptr;  ///< Port to the node's own network stack, if it has one.
};

/// Counters of all workers of a team. Each received packet is in `ahead`, handed over, or in
/// `refused`.
struct TeamCounters {
  std::uint64_t received = 0;
  std::uint64_t ahead = 0;
  std::uint64_t refused = 0;  ///< Not handed over: the ring to the main core was full.
  std::uint64_t to_pods = 0;
  std::uint64_t to_uplink = 0;
  std::uint64_t not_sent = 0;  ///< Not accepted by a port.
};

/// Workers in addition to the main core. Each runs on its own core, with its own receive and send
/// queue of each port: queue 0, 1, … in the order of the cores. They apply adjacencies and hand
/// over the remaining packets.
class WorkerTeam {
 public:
  /// The queues that the ports of a node on `cores` cores need: one send queue per core, and one
  /// receive queue per worker, or for the only core.
  static Queues queues(std::size_t cores);

  /// Makes a team on these of EAL's cores, without the main core. An idle worker sleeps for
  /// `idle_microseconds`. The ports must outlive the team.
  static Parsed<std::unique_ptr<WorkerTeam>> make(const NodePorts& ports,
                                                  const std::vector<unsigned>& cores,
                                                  std::uint16_t burst,
                                                  std::uint32_t idle_microseconds = 0);
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;
  ~WorkerTeam();

  std::size_t size() const { return members_.size(); }

  /// Starts the workers, which forward by the tables published in `tables`; member i is reader i.
  /// Fails if a core is busy with another function.
  Result<void, std::string> start(Publication& tables);
  /// Tells the workers to stop and waits until each has finished its burst.
  void stop();

  /// Passes packets that the workers handed over to `take(packets, ingress)`, up to a burst from
  /// each member and port. Returns their number. Call it on the main core.
  template <typename Take>
  std::size_t hand_over(Take take) {
    std::size_t count = 0;
    for (const auto& member : members_) {
      for (const auto ingress : {forward::Ingress::Pod, forward::Ingress::Uplink}) {
        std::array<rte_mbuf*, adjacency::kBurst> packets;
        const std::size_t here = member->handover(ingress).take(packets);
        if (here > 0) take(std::span<rte_mbuf* const>(packets.data(), here), ingress);
        count += here;
      }
    }
    return count;
  }

  TeamCounters counters() const;

 private:
  /// One worker. Aligned so that cores do not write to the same cache lines.
  struct alignas(64) Member {
    Member(const NodePorts& ports, unsigned its_core, std::uint16_t queue, std::uint16_t burst,
           const node::IdentificationCounters& share);

    /// The queue of packets from `ingress` that this worker hands over.
    Handover& handover(forward::Ingress ingress) const {
      return ingress == forward::Ingress::Pod ? *from_pods : *from_uplink;
    }

    unsigned core;
    SendQueue to_pods;
    SendQueue to_uplink;
    node::IdentificationCounters identification;
    Worker worker;
    std::unique_ptr<Handover> from_pods;
    std::unique_ptr<Handover> from_uplink;
    // State of the running worker.
    unsigned number = 0;
    WorkerTeam* team = nullptr;
    bool is_running = false;
  };

  explicit WorkerTeam(std::uint32_t idle_microseconds) : idle_microseconds_(idle_microseconds) {}
  static int run(void* member);
  void forward(Member& member);

  std::uint32_t idle_microseconds_;
  std::vector<std::unique_ptr<Member>> members_;
  Publication* tables_ = nullptr;
  std::atomic<bool> stopped_ = false;
};

/// The share of a node's IPv4 identification numbers that core number `share` of `cores` uses. The
/// main core has share 0.
node::IdentificationCounters identification_share(std::size_t share, std::size_t cores);

}  // namespace overlane::dpdk

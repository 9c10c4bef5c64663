#pragma once

#include <memory>
#include <vector>

#include "dataplane/dpdk/tables/publication.h"
#include "dataplane/dpdk/worker/worker.h"

namespace overlane::dpdk {

// The worker cores of a node. Each has its own receive and send queue of every port, so that
// cores share no lock; packets that no adjacency took go to the main core through a ring.

/// The ports of a node.
struct NodePorts {
  const Port& pods;
  const Port& uplink;
  const Port* host = nullptr;  ///< To the node's own network stack, if it has one.
};

/// What all workers of a team did. Every packet that came is ahead, handed over, or refused.
struct TeamCounters {
  std::uint64_t received = 0;
  std::uint64_t ahead = 0;
  std::uint64_t refused = 0;  ///< Left to the main core, which had no room for more.
  std::uint64_t to_pods = 0;
  std::uint64_t to_uplink = 0;
  std::uint64_t not_sent = 0;  ///< A port did not take them.
};

/// Workers beside the main core, each on a core of its own with a receive and a send queue of each
/// port: queue 0, 1, … in the order of the cores. They take adjacencies, and hand over the rest.
class WorkerTeam {
 public:
  /// The queues that the ports of a node on so many cores need: one to send for each core, one to
  /// receive for each worker, or for the only core.
  static Queues queues(std::size_t cores);

  /// On these of EAL's cores, without the main one, which has any number of them. All ports must
  /// outlive it. A worker that has nothing to do sleeps for so long.
  static Parsed<std::unique_ptr<WorkerTeam>> make(const NodePorts& ports,
                                                  const std::vector<unsigned>& cores,
                                                  std::uint16_t burst,
                                                  std::uint32_t idle_microseconds = 0);
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;
  ~WorkerTeam();

  std::size_t size() const { return members_.size(); }

  /// Lets them forward by what is published there, where member i is reader i. Fails when a core is
  /// busy with something else.
  Result<void, std::string> start(Publication& tables);
  /// Lets them end what they are about, and waits for it.
  void stop();

  /// On the main core: gives what was left to it to `take(packets, ingress)`, up to a burst from
  /// each member and port. How many packets.
  template <typename Take>
  std::size_t hand_over(Take take) {
    std::size_t count = 0;
    for (const auto& member : members_) {
      for (const auto ingress : {forward::Ingress::Pod, forward::Ingress::Uplink}) {
        std::array<rte_mbuf*, adjacency::kBurst> packets;
        const std::size_t here = member->left(ingress).take(packets);
        if (here > 0) take(std::span<rte_mbuf* const>(packets.data(), here), ingress);
        count += here;
      }
    }
    return count;
  }

  TeamCounters counters() const;

 private:
  /// What one core writes is not on another's cache lines.
  struct alignas(64) Member {
    Member(const NodePorts& ports, unsigned its_core, std::uint16_t queue, std::uint16_t burst,
           const node::IdentificationCounters& share);

    /// What it leaves of what came from there.
    Handover& left(forward::Ingress ingress) const {
      return ingress == forward::Ingress::Pod ? *from_pods : *from_uplink;
    }

    unsigned core;
    SendQueue to_pods;
    SendQueue to_uplink;
    node::IdentificationCounters identification;
    Worker worker;
    std::unique_ptr<Handover> from_pods;
    std::unique_ptr<Handover> from_uplink;
    // What it runs with.
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

/// The share of a node's IPv4 identification numbers that one of its cores sends from; the main
/// core's is 0.
node::IdentificationCounters identification_share(std::size_t share, std::size_t cores);

}  // namespace overlane::dpdk

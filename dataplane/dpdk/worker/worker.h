#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "dataplane/dpdk/io/send_queue.h"
#include "dataplane/dpdk/tables/generation.h"
#include "dataplane/forward/outcome.h"
#include "results/finding/finding.h"

struct rte_mbuf;

struct rte_mbuf;
struct rte_ring;

namespace overlane::dpdk {

// The loop of one core. It receives a burst from its queue of each port, applies adjacencies
// (take()), sends the packets, and passes packets that no adjacency took to the main core
// (Handover). A worker belongs to one core; other cores read only its counters.

/// Packets that no adjacency took.
struct PuntedPackets {
  std::array<rte_mbuf*, adjacency::kBurst> packets;
  std::size_t count = 0;

  std::span<rte_mbuf* const> all() const { return {packets.data(), count}; }
};

/// Applies the adjacencies of a generation to at most kBurst packets that arrived from `ingress`
/// (Pod or Uplink) through the port with the address `mac`, and adds each packet to the queue
/// through which it leaves. Replaces the contents of `punted` with the packets that no adjacency
/// took, unchanged, for the full path.
void take(const Generation& generation, const adjacency::PuntFilter& exceptions,
          node::IdentificationCounters& identification, forward::Ingress ingress,
          const MacAddress& mac, std::span<rte_mbuf* const> packets, SendQueue& to_pods,
          SendQueue& to_uplink, PuntedPackets& punted);

/// Forwards one core's share of a node's packets: one queue of each port.
class Worker {
 public:
  /// Receives from the ports of the send queues, through the receive queue number `queue` if a port
  /// has one. All references must outlive the Worker.
  Worker(SendQueue& to_pods, SendQueue& to_uplink, std::uint16_t queue, std::uint16_t burst,
         node::IdentificationCounters& identification)
      : queue_(queue),
        burst_(burst),
        identification_(identification),
        pods_(to_pods.port(), queue),
        uplink_(to_uplink.port(), queue),
        to_pods_(to_pods),
        to_uplink_(to_uplink) {}

  /// Receives a burst from each port, applies adjacencies, and passes the remaining packets to
  /// `punt(packets, ingress)`. Returns the number of packets received.
  template <typename Punt>
  std::size_t poll(const Generation& generation, const adjacency::PuntFilter& exceptions,
                   Punt punt) {
    const std::size_t from_pods =
        poll_one(generation, exceptions, pods_, forward::Ingress::Pod, punt);
    const std::size_t from_uplink =
        poll_one(generation, exceptions, uplink_, forward::Ingress::Uplink, punt);
    return from_pods + from_uplink;
  }

  /// Packets received, and the part of them that adjacencies forwarded.
  std::uint64_t received() const { return received_; }
  std::uint64_t ahead() const { return ahead_; }

 private:
  struct Side {
    Side(const Port& its, std::uint16_t queue)
        : port(its), mac(its.mac()), receives(queue < its.queues().receive) {}
    const Port& port;
    MacAddress mac;
    bool receives;
  };

  template <typename Punt>
  std::size_t poll_one(const Generation& generation, const adjacency::PuntFilter& exceptions,
                       const Side& from, forward::Ingress ingress, Punt& punt) {
    if (!from.receives) return 0;
    std::array<rte_mbuf*, adjacency::kBurst> packets;
    const std::size_t count = receive(from, packets);
    if (count == 0) return 0;
    take(generation, exceptions, identification_, ingress, from.mac, {packets.data(), count},
         to_pods_, to_uplink_, punted_);
    received_ += count;
    ahead_ += count - punted_.count;
    if (punted_.count > 0) punt(punted_.all(), ingress);
    return count;
  }

  std::size_t receive(const Side& from, std::array<rte_mbuf*, adjacency::kBurst>& packets) const;

  std::uint16_t queue_;
  std::uint16_t burst_;
  node::IdentificationCounters& identification_;
  Side pods_;
  Side uplink_;
  SendQueue& to_pods_;
  SendQueue& to_uplink_;
  PuntedPackets punted_;
  Count received_;
  Count ahead_;
};

/// A queue of packets from one core to another, in order, through DPDK's lock-free ring. Neither
/// core waits for the other.
class Handover {
 public:
  /// Makes a queue for `slots` - 1 packets. `slots` is a power of two.
  static Parsed<std::unique_ptr<Handover>> make(std::uint32_t slots);
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  /// Frees the packets that were not taken.
  ~Handover();

  /// Adds packets; only one core may call it. Packets for which there is no room are freed and
  /// counted.
  void give(std::span<rte_mbuf* const> packets);
  /// Moves packets into `room` and returns their number; only one core may call it.
  std::size_t take(std::span<rte_mbuf*> room);

  /// Packets that were freed because there was no room.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Free {
    void operator()(rte_ring* ring) const;
  };
  explicit Handover(rte_ring* ring) : ring_(ring) {}

  std::unique_ptr<rte_ring, Free> ring_;
  Count refused_;
};

}  // namespace overlane::dpdk

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/prefetch.h"
#include "sim/host/machine.h"
#include "sim/run/path/cpu.h"
#include "sim/run/path/fabric_path.h"
#include "sim/run/path/host_stack.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

// The devices through which packets leave and enter a node: NICs; the vhost threads behind virtio
// NICs; and veth pairs if the nodes are namespaces of one machine.

/// A NIC's transmit queue and link, in one cache line.
struct alignas(64) Nic {
  host::Link link;
  Station station;
  /// Sender and Packet::host_bytes of the last datagram without a NicDone event (send_ahead()).
  EndpointId sender_ahead = kNone;
  std::uint32_t bytes_ahead = 0;
};
static_assert(sizeof(Nic) == 64);

/// The NICs' transmit queues (the qdisc and ring of each node) and links. A full queue drops
/// packets (NicQueueFull). A packet enters the fabric when its last bit has left. If the fabric's
/// decision is already known, the packet enters earlier and needs no event; kept_decisions_test.cpp
/// compares runs with and without that. One partition owns a Nics and is its only user.
class Nics {
 public:
  /// Referenced arguments must outlive this object. `sends_ahead`: whether, between its NIC and the
  /// delay of the fabric, nothing but a change of the states or a flow's cap can delay or lose a
  /// packet, and nothing observes it.
  Nics(const Network& network, bool sends_ahead, Packets& packets, FabricPath& fabric);

  /// A packet enters the transmit queue of its node, or the fabric ahead of time.
  void enter(PacketId id);
  /// The last bit of a packet has left the NIC.
  Handoff done(std::uint32_t node);

  /// No state changes before `at`; nullopt: none in the rest of the run.
  void expect_change(std::optional<Picos> at) { next_change_ = at.value_or(transport::kNever); }
  /// Bytes of a packet of `sender` that the NIC is sending, although Packets::take_departure() has
  /// returned them already.
  std::uint32_t on_wire(std::uint32_t node, EndpointId sender) const {
    const Nic& nic = nics_[node];
    const bool is_sending =
        nic.sender_ahead == sender && nic.station.server.is_alone(packets_.now());
    return is_sending ? nic.bytes_ahead : 0;
  }
  [[gnu::always_inline]] void prefetch(std::uint32_t node) const { core::prefetch(&nics_[node]); }
  const core::FifoServer& server(std::uint32_t node) const { return nics_[node].station.server; }
  /// Packets::due() for the node's NIC.
  PacketId due(std::uint32_t node) const { return packets_.due(nics_[node].station.pipe); }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

  /// Whether all packets that wait for a NIC are datagrams about which the fabric has decided.
  bool can_send_all_ahead(std::uint32_t node) const;
  /// Lets all packets that wait for a NIC enter the fabric ahead of time. Requires
  /// can_send_all_ahead(), and that no cap delays them.
  void send_all_ahead(std::uint32_t node);
  /// A NIC has sent datagrams, or will have sent them at `end`, without enter(): `work` is the time
  /// of all, `sender` and `bytes` are those of the last.
  void carry(std::uint32_t node, Picos work, Picos end, EndpointId sender, std::uint32_t bytes) {
    Nic& nic = nics_[node];
    nic.station.server.serve_all(work, end);
    nic.sender_ahead = sender;
    nic.bytes_ahead = bytes;
  }

 private:
  bool send_ahead(PacketId id);
  Picos accept(const Packet& packet);

  Packets& packets_;
  FabricPath& fabric_;
  bool sends_ahead_;
  Picos next_change_ = transport::kNever;
  std::vector<Nic> nics_;  ///< One per node.
  /// By node: senders whose last buffer the NIC's queue refused.
  std::vector<std::vector<EndpointId>> refused_;
};

/// Buffers that wait in a guest's tap device (TUN_READQ_SIZE, drivers/net/tun.c).
inline constexpr std::uint32_t kTapQueueBuffers = 500;

/// The hypervisors' threads that serve the guests' virtio queues (drivers/vhost/net.c): one for
/// each pair of queues of a guest, on a core of its own. A thread copies what the guest sends
/// (handle_tx) and what it receives (handle_rx) in arrival order, and copies all packets of a
/// buffer at once. Between hypervisors, the packets of a buffer are single packets, which GRO of
/// the receiving hypervisor's NIC merges again; between guests of one hypervisor, they stay one
/// buffer. One partition owns a Vhost and is its only user.
class Vhost {
 public:
  /// Referenced arguments must outlive this object. Requires CPU costs.
  Vhost(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu);

  /// A guest's core has put a packet into the core's send queue.
  void send(PacketId id);
  /// A packet for a guest has reached the hypervisor's NIC.
  void receive(PacketId id);
  /// A thread has copied a packet out of its guest; the packet goes to the hypervisor's NIC.
  Handoff sent(std::uint32_t node, std::uint16_t queue);
  /// A thread has copied a packet into its guest.
  Handoff received(std::uint32_t node, std::uint16_t queue);

  /// Packets::due() for packets that leave (out) or enter (in) a guest.
  PacketId due_out(std::uint32_t node, std::uint16_t queue) const {
    return packets_.due(threads_[node][queue].out.pipe);
  }
  PacketId due_in(std::uint32_t node, std::uint16_t queue) const {
    return packets_.due(threads_[node][queue].in.pipe);
  }
  /// The thread of a pair of queues.
  const core::FifoServer& thread(std::uint32_t node, std::uint32_t queue) const {
    return threads_[node][queue].server;
  }
  /// Whether the buffers of a thread have fewer than two packets on average.
  bool copies_single_packets(std::uint32_t node, std::uint32_t queue) const {
    const Thread& thread = threads_[node][queue];
    return thread.packets < 2 * thread.buffers;
  }
  std::uint32_t queues(std::uint32_t node) const {
    return static_cast<std::uint32_t>(threads_[node].size());
  }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);
  void begin_measuring(Picos now);

 private:
  /// A buffer that is not complete yet.
  struct Part {
    EndpointId sender = kNone;
    Pipe pipe;
  };
  /// Packets that wait for a thread in one direction.
  struct Queue {
    Pipe pipe;
    std::uint32_t buffers = 0;  ///< Number of buffers in `pipe`.
    std::vector<Part> parts;
  };
  struct Thread {
    core::FifoServer server{0};
    std::int64_t buffers = 0;  ///< Buffers that the thread has copied.
    std::int64_t packets = 0;  ///< Packets in these buffers.
    Queue out;
    Queue in;
  };
  Thread& thread_of(const Packet& packet) {
    std::vector<Thread>& threads = threads_[packet.node];
    return threads[packet.core % threads.size()];
  }
  /// The queue, limit, drop reason and event of one direction.
  struct Direction {
    Queue Thread::*queue;
    std::uint32_t room;  ///< Buffers.
    Drop drop;           ///< Drop reason if there is no room.
    EventKind done;
  };
  void gather(PacketId id, const Direction& direction);
  void copy(Pipe& buffer, const Direction& direction);

  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  std::vector<std::vector<Thread>> threads_;  ///< By node and pair of queues.
};

/// Veth pairs between nodes that are namespaces of one machine, in place of NICs and fabric links.
/// A packet enters the backlog of the core that sent it. That core handles it in the receiving node
/// when its work in the sending node is done (do_softirq at the end of the system call). One
/// partition owns a VethPairs and is its only user.
class VethPairs {
 public:
  /// Referenced arguments must outlive this object.
  VethPairs(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu,
            HostStack& stack, FabricPath& fabric);

  /// A packet leaves its node and enters the pair.
  void enter(PacketId id);
  /// A core handles the packets that came through pairs.
  void run_backlog(std::uint32_t node, std::uint16_t core);
  /// An application goes to sleep, which takes `time` of its core. The core first handles the
  /// packets that the application has sent through pairs.
  void idle(std::uint32_t node, std::uint32_t core, Picos time);

  /// Packets that came through pairs.
  struct Backlog {
    Pipe ring;
    std::uint32_t waiting = 0;
    bool is_due = false;  ///< A Backlog event is pending.
    Picos behind;         ///< Work that the core does after the backlog.
  };
  const Backlog& backlog(std::uint16_t core) const { return backlogs_[core]; }
  std::uint32_t fullest_backlog() const;
  void stop(std::uint32_t node, std::vector<PacketId>& lost);

 private:
  void take(PacketId id);

  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  HostStack& stack_;
  FabricPath& fabric_;
  std::vector<Backlog> backlogs_;  ///< One for each core of the machine.
};

}  // namespace overlane::run

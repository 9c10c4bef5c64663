#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/path/cpu.h"

namespace overlane::run {

/// Buffers that wait in a guest's tap device (TUN_READQ_SIZE, drivers/net/tun.c).
inline constexpr std::uint32_t kTapQueueBuffers = 500;

/// The hypervisors' threads that serve the guests' virtio queues (drivers/vhost/net.c), on cores of
/// their own: one for each pair of queues of a guest. It takes what the guest sends (handle_tx) and
/// what comes for it (handle_rx) in one order, copies it, and passes a buffer on as it was: all of
/// its packets at once. Between hypervisors they are packets of their own, which the receiving one
/// puts together again (GRO of its NIC), unless they are on one.
class Vhost {
 public:
  /// Referenced arguments must outlive this object. CPU time must cost something.
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
  /// Whether a thread's buffers hold hardly more than a packet each, on average.
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
  /// A buffer whose packets have not all come yet.
  struct Part {
    EndpointId sender = kNone;
    Pipe pipe;
  };
  /// Packets that wait for a thread in one direction.
  struct Queue {
    Pipe pipe;
    std::uint32_t buffers = 0;  ///< In `pipe`.
    std::vector<Part> parts;
  };
  struct Thread {
    core::FifoServer server{0};
    std::int64_t buffers = 0;  ///< Buffers that the thread has copied.
    std::int64_t packets = 0;  ///< In them.
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
    Drop drop;           ///< When there is no room.
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

}  // namespace overlane::run

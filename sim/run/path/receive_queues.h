#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/path/host_stack.h"

namespace overlane::run {

/// Packets that one poll takes at most (NAPI_POLL_WEIGHT, include/linux/netdevice.h).
inline constexpr std::uint32_t kPollBudget = 64;

/// Packets that a NIC has received for one core. As in NAPI, an interrupt starts a poll, which
/// takes packets up to its budget; the next poll takes later arrivals without an interrupt.
struct ReceiveQueue {
  Pipe ring;
  std::uint32_t waiting = 0;
  std::uint32_t buffers = 0;  ///< Ring entries in use: a virtio queue holds the packets of one
                              ///< buffer in one entry.
  bool poll_due = false;      ///< A Poll event is pending.
  bool interrupted = false;   ///< An interrupt begins that poll.
  Picos quiet_until;          ///< No interrupt before: the NIC moderates them.
  /// Until then the core goes on without an interrupt: the last poll took all that one may.
  Picos goes_on_until = kNotAtAll;

  static constexpr Picos kNotAtAll{-1};
};

/// The receive queues of the NICs, one for each core: interrupts, polls (NAPI), merging (GRO) and
/// the decision about each packet, on the core that the packet's queue belongs to. Only where CPU
/// time has costs; otherwise packets go to the node's HostStack at once. One partition owns a
/// ReceiveQueues and is its only user.
class ReceiveQueues {
 public:
  /// Referenced arguments must outlive this object.
  ReceiveQueues(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu,
                HostStack& stack);

  /// The NIC has received a packet. It notifies the core when the packet's buffer is complete.
  void enter(PacketId id);
  /// A core takes the packets of its queue.
  void poll(std::uint32_t node, std::uint16_t core);

  /// One for each core.
  const std::vector<ReceiveQueue>& operator[](std::uint32_t node) const { return queues_[node]; }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);

 private:
  void poll_one(std::uint32_t node, std::uint16_t core);
  void plan_poll(std::uint32_t node, std::uint16_t core);

  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  HostStack& stack_;
  std::vector<std::vector<ReceiveQueue>> queues_;
};

}  // namespace overlane::run

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "sim/run/path/host_stack.h"
#include "sim/transport/segment.h"

namespace overlane::run {

// The receiving half of a NIC if CPU time has costs: rings, NAPI polls and GRO (net/core/dev.c,
// net/core/gro.c).

/// Payload of the largest socket buffer that GSO and GRO build (GSO_LEGACY_MAX_SIZE and
/// gro_max_size, 65,536, less the headers).
inline constexpr std::uint32_t kMaxBufferPayload = 65'536 - 100;

/// Consecutive segments of a stream that the kernel handles as one socket buffer: all but the last
/// have the same length, and they differ in payload only.
class SegmentTrain {
 public:
  /// If not `enabled`, every segment is a buffer of its own.
  explicit SegmentTrain(bool enabled) : enabled_(enabled) {}

  /// Adds the next segment of the stream. Returns whether it joins the current buffer; otherwise it
  /// begins one. A buffer accepts more while all its segments have `full` bytes.
  bool takes(const transport::Segment& segment, std::uint32_t full) {
    const bool joins = open_ && segment.sequence == next_ && segment.length > 0 &&
                       segment.length <= full && bytes_ + segment.length <= kMaxBufferPayload &&
                       is_plain(segment);
    bytes_ = (joins ? bytes_ : 0) + segment.length;
    next_ = segment.sequence + segment.length;
    open_ = enabled_ && segment.length == full && is_plain(segment);
    return joins;
  }
  /// Whether a segment of `length` bytes could join the current buffer.
  bool has_room(std::uint32_t length) const {
    return open_ && bytes_ + length <= kMaxBufferPayload;
  }

 private:
  static bool is_plain(const transport::Segment& segment) { return !segment.syn && !segment.fin; }

  bool enabled_;
  bool open_ = false;
  std::int64_t next_ = 0;
  std::uint32_t bytes_ = 0;
};

/// Rule by which segments of a stream share one buffer.
enum class MergeRule : std::uint8_t {
  Gro,     ///< Segments that GRO merges, if the node's offloads include GRO.
  Buffer,  ///< Segments that came through a veth pair in one buffer.
};

/// The packets that a core takes at once from a receive queue. Each is decided on, segments of one
/// stream are merged, and then the core works on the buffers, or hands them to other cores (RPS).
/// An object serves one poll.
class ReceiveBatch {
 public:
  /// Referenced arguments must outlive this object.
  ReceiveBatch(MergeRule rule, const Network& network, Decisions& decisions, Packets& packets,
               Cpu& cpu, HostStack& stack)
      : rule_(rule),
        network_(network),
        decisions_(decisions),
        packets_(packets),
        cpu_(cpu),
        stack_(stack) {}

  /// A packet from the queue.
  void take(PacketId id) {
    stack_.decide(id, forward::Ingress::Uplink, [&](const HostStack::Forwarded& forwarded) {
      add(forwarded.id, *forwarded.cost);
    });
  }
  /// The core works on the buffers, or hands them on.
  void run(std::uint32_t node, std::uint16_t core);

 private:
  /// A buffer of one packet or of several merged packets.
  struct Buffer {
    PacketId id = kNone;
    Picos poll;  ///< Time of the polling core before it hands the buffer on; 0 without RPS.
    Picos time;  ///< Time of the core that works on the buffer.
  };
  /// A buffer of a stream that may take further segments.
  struct Open {
    EndpointId sender = 0;
    std::size_t buffer = 0;
    SegmentTrain train{true};
  };

  void add(PacketId id, const cost::PathCost& cost);
  bool may_merge(const Packet& packet) const;
  bool joins(Open& open, PacketId id);
  void charge(Buffer& buffer, const cost::PathCost& cost, const Packet& packet,
              cost::Arrival arrival) const;
  void hand_on(const Buffer& buffer, std::uint32_t node, std::uint16_t core);

  MergeRule rule_;
  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  HostStack& stack_;
  boost::container::small_vector<Buffer, 64> buffers_;
  boost::container::small_vector<Open, 16> open_;
};

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
  bool interrupted = false;   ///< An interrupt starts that poll.
  Picos quiet_until;          ///< No interrupt before this time: the NIC moderates interrupts.
  /// Until this time the core polls without an interrupt: the last poll used up its budget.
  Picos goes_on_until = kNotAtAll;

  static constexpr Picos kNotAtAll{-1};
};

/// The receive queues of the NICs, one for each core: interrupts, polls (NAPI), merging (GRO) and
/// the decision about each packet, on the core to which the packet's queue belongs. Without CPU
/// costs, packets go to the node's HostStack at once. One partition owns a ReceiveQueues and is its
/// only user.
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

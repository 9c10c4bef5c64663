#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "sim/run/path/host_stack.h"
#include "sim/transport/segment.h"

namespace overlane::run {

// The receiving half of a NIC with costs of CPU time: rings, NAPI polls and GRO (net/core/dev.c,
// net/core/gro.c).

/// Payload of the largest socket buffer that GSO hands down and GRO puts together
/// (GSO_LEGACY_MAX_SIZE and gro_max_size, 65,536, less the headers).
inline constexpr std::uint32_t kMaxBufferPayload = 65'536 - 100;

/// Consecutive segments of a stream that the kernel handles as one socket buffer: all but the last
/// are of the same length, and only payload tells them apart.
class SegmentTrain {
 public:
  /// Where it is not `enabled`, every segment is a buffer of its own.
  explicit SegmentTrain(bool enabled) : enabled_(enabled) {}

  /// Whether `segment` goes into the buffer of those before; otherwise it begins one. A buffer
  /// takes more as long as it holds segments of `full` bytes only.
  bool takes(const transport::Segment& segment, std::uint32_t full) {
    const bool joins = open_ && segment.sequence == next_ && segment.length > 0 &&
                       segment.length <= full && bytes_ + segment.length <= kMaxBufferPayload &&
                       is_plain(segment);
    bytes_ = (joins ? bytes_ : 0) + segment.length;
    next_ = segment.sequence + segment.length;
    open_ = enabled_ && segment.length == full && is_plain(segment);
    return joins;
  }
  /// Whether a segment of `length` bytes could go into the buffer of the last.
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

/// Which segments of a stream one buffer takes.
enum class MergeRule : std::uint8_t {
  Gro,     ///< Segments that GRO merges, if the node's offloads have GRO.
  Buffer,  ///< Segments that came through a veth pair in one buffer.
};

/// The packets that a core takes at once from a receive queue: each is decided on, segments of one
/// stream are merged, and then the core works on them, or hands them on (RPS).
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
  /// A core of the node works on what was taken.
  void run(std::uint32_t node, std::uint16_t core);

 private:
  /// A buffer, of one packet or of several that were merged.
  struct Buffer {
    PacketId id = kNone;
    Picos poll;  ///< Time of the core that polls, before it hands on; only where RPS is on.
    Picos time;  ///< Time of the core that works on it.
  };
  /// A buffer of a stream that may take more.
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

#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/container/small_vector.hpp>

#include "sim/run/packet/segment_train.h"
#include "sim/run/path/host_stack.h"

namespace overlane::run {

/// Which segments of a stream one buffer takes.
enum class MergeRule : std::uint8_t {
  Gro,     ///< Those that GRO merges, if the node's offloads say that it does.
  Buffer,  ///< Those that came through a veth pair in one buffer.
};

/// The packets that a core takes at once from a receive queue: each is decided on, segments of one
/// stream are merged, and then the core works on them, or hands them on (RPS).
class ReceiveBatch {
 public:
  /// Keeps references.
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
    stack_.decide(id, forward::Ingress::Uplink,
                  [&](const HostStack::Decided& decided) { add(decided.id, *decided.cost); });
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
    EndId sender = 0;
    std::size_t buffer = 0;
    SegmentTrain train{true};
  };

  void add(PacketId id, const cost::PathCost& cost);
  bool may_merge(const PacketInFlight& packet) const;
  bool joins(Open& open, PacketId id);
  void charge(Buffer& buffer, const cost::PathCost& cost, const PacketInFlight& packet,
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

}  // namespace overlane::run

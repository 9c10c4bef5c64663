#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/core/fifo_server.h"
#include "sim/core/prefetch.h"
#include "sim/run/packet/packet_in_flight.h"
#include "sim/transport/timer.h"

namespace overlane::run {

/// A packet on its way to a port.
struct Arrival {
  Picos at;  ///< When it gets there.
  PacketId id = kNone;
  std::uint32_t from = 0;  ///< The node that sent it: of those that get there at one time, the
                           ///< one with the least is first, and of one node's what it sent first.
};

/// What is on its way to a port through one kind of way, in the order in which it gets there: a
/// ring. Packets of several senders come nearly in order, apart by the jitter at most.
class ArrivalQueue {
 public:
  bool empty() const { return begin_ == end_; }
  const Arrival& first() const { return at(begin_); }
  void pop() { ++begin_; }

  /// Behind all that are not after it. True when it is the first.
  bool insert(const Arrival& packet) {
    if (end_ - begin_ == size()) grow();
    std::uint32_t place = end_++;
    for (; place != begin_ && before(packet, at(place - 1)); --place)
      at(place) = at(place - 1);
    at(place) = packet;
    return place == begin_;
  }

  static bool before(const Arrival& a, const Arrival& b) {
    return a.at < b.at || (a.at == b.at && a.from < b.from);
  }

 private:
  std::uint32_t size() const {
    return static_cast<std::uint32_t>(large_.empty() ? few_.size() : large_.size());
  }
  Arrival& at(std::uint32_t place) {
    return large_.empty() ? few_[place % kFew] : large_[place & (large_.size() - 1)];
  }
  const Arrival& at(std::uint32_t place) const {
    return large_.empty() ? few_[place % kFew] : large_[place & (large_.size() - 1)];
  }
  void grow() {
    std::vector<Arrival> larger(size() * std::size_t{2});
    for (std::uint32_t i = begin_; i != end_; ++i)
      larger[i & (larger.size() - 1)] = at(i);
    large_ = std::move(larger);
  }

  static constexpr std::size_t kFew = 4;
  std::array<Arrival, kFew> few_;  ///< A cache line, which mostly does.
  std::vector<Arrival> large_;     ///< Instead of them, as many as a power of two.
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
};

/// Ways through the fabric that take one time each, and keep the order of what takes them.
inline constexpr std::uint16_t kWithinZone = 0;
inline constexpr std::uint16_t kAcrossZones = 1;

/// The fabric's last link, to a node's NIC. What comes from the node's own zone looks at three
/// cache lines, what comes from another at one more.
struct alignas(64) Port {
  ArrivalQueue within;  ///< Some of it may have come by now.
  core::FifoServer server;
  Pipe pipe;  ///< What the server has accepted.
  /// Of the PortDone event that counts; others were set for a later time before.
  Picos due = transport::kNever;
  PacketId expected = 0;  ///< It will be done then.
  /// Whether World::stopped does not have the node: here, as each arrival looks at this line.
  bool node_runs = true;
  ArrivalQueue across;

  /// `waiting_room` packets wait there.
  explicit Port(std::uint32_t waiting_room) : server(waiting_room) {}

  /// Has the processor fetch those three.
  [[gnu::always_inline]] void prefetch() const {
    const char* line = reinterpret_cast<const char*>(this);
    core::prefetch(line);
    core::prefetch(line + 64);
    core::prefetch(line + 128);
  }
  ArrivalQueue& coming(std::uint16_t way) { return way == kWithinZone ? within : across; }
  /// The way by which the next packet comes; nothing when none does.
  ArrivalQueue* next() {
    if (across.empty()) return within.empty() ? nullptr : &within;
    if (within.empty()) return &across;
    return ArrivalQueue::before(across.first(), within.first()) ? &across : &within;
  }
};

}  // namespace overlane::run

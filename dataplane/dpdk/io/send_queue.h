#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "dataplane/adjacency/burst.h"
#include "dataplane/dpdk/io/port.h"

struct rte_mbuf;

namespace overlane::dpdk {

// The send queue of a port for one core, and Count, a counter that one core writes and every core
// may read.

/// A counter that one core writes and any core may read.
class Count {
 public:
  void operator+=(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }  // NOLINT

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// A buffer of packets for one send queue of a port. It sends them in bursts and owns them until
/// then.
class SendQueue {
 public:
  /// The port must outlive it.
  explicit SendQueue(const Port& port, std::uint16_t queue = 0) : port_(port), queue_(queue) {}
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;
  ~SendQueue() { flush(); }

  void add(rte_mbuf* packet) {
    if (count_ == packets_.size()) flush();
    packets_[count_++] = packet;
  }
  /// Adds a burst of at most adjacency::kBurst packets.
  void add(std::span<rte_mbuf* const> packets) {
    if (count_ + packets.size() > packets_.size()) flush();
    std::copy_n(packets.data(), packets.size(), packets_.data() + count_);
    count_ += packets.size();
  }
  /// Sends the buffered packets and then this one. Returns whether the port accepted it.
  bool send(rte_mbuf* packet);
  /// Sends a message, such as ARP, that is not counted as a packet.
  bool send_uncounted(rte_mbuf* message);
  /// Sends all buffered packets. Packets that the port does not accept at once are lost.
  void flush();

  const Port& port() const { return port_; }
  std::uint64_t sent() const { return sent_; }
  /// Packets that the port did not accept.
  std::uint64_t refused() const { return refused_; }

 private:
  const Port& port_;
  std::uint16_t queue_;
  std::array<rte_mbuf*, adjacency::kBurst> packets_;
  std::size_t count_ = 0;
  Count sent_;
  Count refused_;
};

}  // namespace overlane::dpdk

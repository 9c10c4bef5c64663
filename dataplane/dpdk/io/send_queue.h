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

// The send queue of a port for one core. Count is the counter that such a core writes and any
// other reads.

/// A counter that one core writes and any reads.
class Count {
 public:
  void operator+=(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }  // NOLINT

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

/// Packets on their way to one send queue of a port, a burst at a time. Owns them.
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
  /// A burst of at most adjacency::kBurst.
  void add(std::span<rte_mbuf* const> packets) {
    if (count_ + packets.size() > packets_.size()) flush();
    std::copy_n(packets.data(), packets.size(), packets_.data() + count_);
    count_ += packets.size();
  }
  /// Sends one at once, behind all others. Whether the port took it.
  bool send(rte_mbuf* packet);
  /// Sends a message that is no packet and is not counted.
  bool send_uncounted(rte_mbuf* message);
  /// Sends all of them. What the port does not take at once is lost.
  void flush();

  const Port& port() const { return port_; }
  std::uint64_t sent() const { return sent_; }
  /// What the port did not take.
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

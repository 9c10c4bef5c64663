#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/segment.h"

namespace overlane::transport {

// The sender's record of its unacknowledged TCP segments: Linux's retransmission queue with the
// marks of tcp_input.c (sacked, lost) and its loss detection in tcp_recovery.c (RACK). Scoreboard
// decides which segments are lost and which of them to send again; TcpConnection decides when and
// how many, by the congestion window. Rack and RingBuffer are its parts.

/// A queue in contiguous memory, which is allocated on the first insertion and doubled when full.
/// push_back() returns the number of the new element, which stays valid until the element is
/// removed; numbers count up from 0. References to elements are valid until the next push_back().
template <class T>
class RingBuffer {
 public:
  std::uint32_t first() const { return first_; }
  /// One past the number of the last element.
  std::uint32_t last() const { return first_ + count_; }
  std::uint32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }

  T& operator[](std::uint32_t number) { return slots_[number & mask()]; }
  const T& operator[](std::uint32_t number) const { return slots_[number & mask()]; }
  T& front() { return (*this)[first_]; }
  const T& front() const { return (*this)[first_]; }
  const T& back() const { return (*this)[last() - 1]; }

  std::uint32_t push_back(const T& value) {
    if (count_ == slots_.size()) grow();
    const std::uint32_t number = last();
    ++count_;
    (*this)[number] = value;
    return number;
  }
  void pop_front() {
    assert(!empty());
    ++first_;
    --count_;
  }
  /// Frees the memory of an empty queue.
  void release() {
    if (count_ == 0) slots_ = {};
  }

 private:
  static constexpr std::size_t kMinSlots = 4;

  std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_.size()) - 1; }
  void grow() {
    std::vector<T> larger(slots_.empty() ? kMinSlots : slots_.size() * 2);
    for (std::uint32_t number = first_; number != last(); ++number)
      larger[number & (larger.size() - 1)] = (*this)[number];
    slots_ = std::move(larger);
  }

  std::vector<T> slots_;  ///< The size is a power of two.
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

/// State of RACK (RFC 8985 section 6), updated as segments arrive: the latest round-trip time, and
/// whether reordering was seen. The minimum round-trip time is that of the whole connection, not of
/// a time window. The reordering window does not adapt, since the receiver sends no DSACK (RFC
/// 2883).
class Rack {
 public:
  /// The latest transmission of a segment; `order` (from 1) is its position among all
  /// transmissions.
  struct Transmission {
    Picos at;
    std::uint32_t order = 0;
    bool repeats = false;  ///< Not the first transmission of this segment.
  };

  /// The segment that ends at `end` was acknowledged or sacked for the first time at `now`. `echo`:
  /// the echoed timestamp, or kNever (section 6.2, steps 1 to 3).
  void delivered(const Transmission& sent, std::int64_t end, Picos echo, Picos now) {
    if (end > farthest_) {
      farthest_ = end;
    } else if (!sent.repeats) {
      reordering_ = true;
    }
    const Picos rtt = now - sent.at;
    // An earlier transmission may have arrived.
    if (sent.repeats && (echo < sent.at || rtt < least_rtt_)) return;
    least_rtt_ = std::min(least_rtt_, rtt);
    if (after(sent.order)) return;
    order_ = sent.order;
    rtt_ = rtt;
  }

  /// Whether the latest transmission that arrived was sent after this one (RACK_sent_after; by
  /// order, since the send times of a burst are equal). Numbers may wrap.
  bool after(std::uint32_t order) const { return static_cast<std::int32_t>(order_ - order) > 0; }
  /// When an overtaken segment counts as lost.
  Picos lost_at(Picos sent_at, Picos window) const { return sent_at + rtt_ + window; }

  /// The reordering window (step 4): zero in recovery or after three sacked segments, unless
  /// reordering was seen.
  Picos window(bool in_recovery, std::uint32_t sacked, Picos smoothed_rtt) const {
    constexpr std::uint32_t kDuplicateThreshold = 3;  // net.ipv4.tcp_reordering, DupThresh.
    if (!reordering_ && (in_recovery || sacked >= kDuplicateThreshold)) return {};
    return least_rtt_ == kNever ? Picos{} : std::min(least_rtt_ / 4, smoothed_rtt);
  }

 private:
  Picos rtt_;                  ///< RACK.rtt
  Picos least_rtt_ = kNever;   ///< RACK.min_RTT
  std::int64_t farthest_ = 0;  ///< RACK.fack
  std::uint32_t order_ = 0;    ///< Replaces RACK.xmit_ts and RACK.end_seq.
  bool reordering_ = false;    ///< RACK.reordering_seen
};

/// A TCP sender's unacknowledged segments: which are in the network (the pipe of RFC 6675), and
/// which are lost according to RACK (RFC 8985), because a later transmission overtook them by more
/// than the reordering window.
///
/// The cost of every input is proportional to what it changes: segments in the network form a list
/// in order of transmission, and runs of sacked segments are skipped.
class Scoreboard {
 public:
  enum class State : std::uint8_t { InFlight, Sacked, Lost };
  struct Sent {
    std::int64_t begin = 0;
    Picos sent_at;            ///< Time of the latest transmission.
    std::uint32_t order = 0;  ///< Position of that transmission among all, from 1.
    /// Links of the list in order of transmission. For a sacked segment, `next` is a skip pointer:
    /// all segments between the two are sacked.
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
    std::uint16_t length = 0;
    State state = State::InFlight;
    bool repeated = false;  ///< Sent more than once.

    std::int64_t end() const { return begin + length; }
  };

  bool empty() const { return sent_.empty(); }
  std::uint32_t segments() const { return sent_.size(); }
  const Sent& front() const { return sent_.front(); }
  /// Bytes believed to be in the network.
  std::int64_t pipe() const { return pipe_; }
  bool has_sacked() const { return sacked_ > 0; }

  /// What an acknowledgement newly delivered.
  struct Delivery {
    std::int64_t bytes = 0;
    /// When the last delivered segment was sent; kNever if none was delivered, or a retransmitted
    /// one, whose acknowledgement does not say which transmission arrived.
    Picos last_sent_at = kNever;
  };

  void add(std::int64_t begin, std::uint32_t length, Picos now);
  /// An acknowledgement of everything before `next_expected` that echoes the timestamp `echo`.
  Delivery acknowledge(std::int64_t next_expected, Picos echo, Picos now);
  /// A SACK block: the segments inside `block` have arrived. Returns the number of newly delivered
  /// bytes. Timestamps of SACKs do not identify the transmission that arrived.
  std::int64_t sack(const SackBlock& block, Picos now);

  /// Marks segments as lost. True if any segment was newly marked.
  bool find_losses(bool in_recovery, Picos smoothed_rtt, Picos now);
  /// When to call find_losses() again for overtaken segments, or kNever (RACK's reordering timer).
  Picos reordering_ends() const { return reordering_ends_; }
  /// A timeout: marks as lost the first segment and those that RACK considers too old (RFC 8985
  /// section 6.3).
  void time_out(bool in_recovery, Picos smoothed_rtt, Picos now);
  /// The maximum segment size shrank: splits larger segments and marks them as lost.
  void shrink(std::uint32_t largest);

  bool has_lost() const { return lost_ > 0; }
  /// The first lost segment, or null.
  const Sent* first_lost();
  /// Records that the first lost segment is sent again.
  void retransmit_first_lost(Picos now);
  /// Records that the last segment is sent again as a tail loss probe, and returns it. Null if it
  /// is known to be lost.
  const Sent* repeat_last(Picos now);

  /// Frees memory that an idle connection does not need.
  void release() { sent_.release(); }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  void transmit(std::uint32_t number, Picos now);
  void link(std::uint32_t number);
  void unlink(Sent& sent);
  void lose(std::uint32_t number);
  std::int64_t deliver(std::uint32_t number, Picos echo, Picos now);
  std::uint32_t first_at(std::int64_t begin) const;
  std::uint32_t skip_sacked(std::uint32_t number);

  RingBuffer<Sent> sent_;
  Rack rack_;
  Picos reordering_ends_ = kNever;
  std::uint32_t pipe_ = 0;
  std::uint32_t transmissions_ = 0;
  std::uint32_t oldest_ = kNone;  ///< First of the list of segments in the network.
  std::uint32_t newest_ = kNone;
  std::uint32_t sacked_ = 0;      ///< Segments.
  std::uint32_t lost_ = 0;        ///< Segments.
  std::uint32_t first_lost_ = 0;  ///< No earlier segment is lost.
};

}  // namespace overlane::transport

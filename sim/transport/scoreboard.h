#pragma once

#include <cstdint>
#include <limits>

#include "sim/transport/rack.h"
#include "sim/transport/ring_buffer.h"
#include "sim/transport/segment.h"

namespace overlane::transport {

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
    Picos sent_at;            ///< Of the latest transmission.
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

  void add(std::int64_t begin, std::uint32_t length, Picos now);
  /// An acknowledgement of everything before `next_expected` that echoes the timestamp `echo`.
  /// Returns the number of newly delivered bytes.
  std::int64_t acknowledge(std::int64_t next_expected, Picos echo, Picos now);
  /// The same for the segments inside `block`. Timestamps of SACKs do not identify the transmission
  /// that arrived.
  std::int64_t sack(const SackBlock& block, Picos now);

  /// Marks segments as lost. True if there were any.
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
  std::uint32_t oldest_ = kNone;  ///< In the network, by time of transmission.
  std::uint32_t newest_ = kNone;
  std::uint32_t sacked_ = 0;      ///< Segments.
  std::uint32_t lost_ = 0;        ///< Segments.
  std::uint32_t first_lost_ = 0;  ///< No earlier segment is lost.
};

}  // namespace overlane::transport

#pragma once

#include <cstdint>
#include <limits>

#include "sim/transport/rack.h"
#include "sim/transport/ring_buffer.h"
#include "sim/transport/segment.h"

namespace overlane::transport {

/// What a TCP sender knows about its unacknowledged segments: which are in the network (the pipe of
/// RFC 6675), and which are lost by RACK's rule (RFC 8985): those that one sent later has overtaken
/// by more than the reordering window.
///
/// Every input costs as much as it changes: what is in the network is a list in order of
/// transmission, and runs of sacked segments are skipped.
class Scoreboard {
 public:
  enum class State : std::uint8_t { InFlight, Sacked, Lost };
  struct Sent {
    std::int64_t begin = 0;
    Picos sent_at;            ///< The last time.
    std::uint32_t order = 0;  ///< Of that transmission among all, from 1.
    /// In the order of transmission; of a sacked segment, `next` is a later one behind which the
    /// first follows that may not be sacked.
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
  /// Everything before `next_expected` has arrived, as an acknowledgement with the timestamp `echo`
  /// says. Returns how many bytes are news.
  std::int64_t acknowledge(std::int64_t next_expected, Picos echo, Picos now);
  /// The same for the segments inside `block`. Beyond a gap timestamps do not tell which
  /// transmission has arrived.
  std::int64_t sack(const SackBlock& block, Picos now);

  /// Declares lost what is by now. True when there was something.
  bool find_losses(bool in_recovery, Picos smoothed_rtt, Picos now);
  /// When find_losses() wants to be called again for what has been overtaken, or kNever (RACK's
  /// reordering timer).
  Picos reordering_ends() const { return reordering_ends_; }
  /// A timeout: the first segment is lost, and what RACK thinks too old (RFC 8985 section 6.3).
  void time_out(bool in_recovery, Picos smoothed_rtt, Picos now);
  /// The largest segment that fits has shrunk: cuts what is larger, and declares it lost.
  void shrink(std::uint32_t largest);

  bool has_lost() const { return lost_ > 0; }
  /// The first lost segment, or null.
  const Sent* first_lost();
  /// The first lost segment is sent again.
  void retransmit_first_lost(Picos now);
  /// The last segment is sent again although it is not known to be lost (a tail loss probe), unless
  /// it is: then null.
  const Sent* repeat_last(Picos now);

  /// Gives back what memory an idle connection does not need.
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
  std::uint32_t first_lost_ = 0;  ///< No segment before it is lost.
};

}  // namespace overlane::transport

#pragma once

#include <cstdint>
#include <deque>

#include "sim/transport/segment.h"

namespace overlane::transport {

/// What a TCP sender knows about its unacknowledged segments: the pipe of RFC 6675, and RACK's rule
/// for losses (RFC 8985) with a count instead of a time: segments arrive in the order in which they
/// were sent, so whatever was sent before others that have arrived is lost, retransmissions too.
class Scoreboard {
 public:
  enum class State : std::uint8_t { InFlight, Sacked, Lost, Retransmitted };
  struct Sent {
    std::int64_t begin = 0;
    std::int64_t order = 0;  ///< Of its last transmission, among all of them.
    std::uint32_t length = 0;
    State state = State::InFlight;

    std::int64_t end() const { return begin + length; }
  };

  bool empty() const { return sent_.empty(); }
  /// Bytes believed to be in the network (RFC 6675's pipe).
  std::int64_t pipe() const { return pipe_; }

  void add(std::int64_t begin, std::uint32_t length);
  /// Everything before `next_expected` has arrived.
  void acknowledge(std::int64_t next_expected);
  void sack(const SackBlock& block);

  /// Declares lost what was sent kReordering or more transmissions before one that has arrived.
  /// True when something was not known to be lost before.
  bool find_losses();
  /// A timeout: everything not sacked is lost, retransmissions included.
  void lose_all();
  /// The largest segment that fits has shrunk: cuts what is larger, and declares it lost.
  void shrink(std::uint32_t largest);

  /// The first lost segment, or null.
  const Sent* first_lost() const;
  /// Marks the first lost segment as sent again.
  void retransmit_first_lost();

 private:
  /// Linux's net.ipv4.tcp_reordering.
  static constexpr std::int64_t kReordering = 3;

  void set_state(Sent& sent, State state);

  std::deque<Sent> sent_;
  std::int64_t pipe_ = 0;
  std::int64_t transmissions_ = 0;
  std::int64_t arrived_ = 0;   ///< Order of the latest transmission that has arrived.
  std::int64_t doubtful_ = 0;  ///< Segments that are sacked or retransmitted.
  std::int64_t lost_ = 0;      ///< Segments.
};

}  // namespace overlane::transport

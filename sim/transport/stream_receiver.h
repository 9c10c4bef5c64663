#pragma once

#include <cstdint>
#include <vector>

#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/segment.h"

namespace overlane::transport {

/// Linux's TCP_DELACK_MIN.
inline constexpr Picos kDelayedAck = milliseconds(40);
/// Linux's TCP_MAX_QUICKACKS.
inline constexpr std::uint8_t kQuickAcks = 16;

/// The receiving half of a TCP connection: reorders the stream and decides when to acknowledge (RFC
/// 9293 §3.8.6.3, RFC 5681 §4.2): every second segment, or at once for a segment beyond a gap, in a
/// gap or received twice. It sends no DSACK (RFC 2883).
class StreamReceiver {
 public:
  /// `buffer`: maximum number of bytes held for the application. Unless `interactive`, the first
  /// kQuickAcks segments are acknowledged at once.
  StreamReceiver(std::int64_t buffer, bool interactive)
      : buffer_(static_cast<std::uint32_t>(buffer)), interactive_(interactive) {}

  /// Records the timestamp of the other end's SYN.
  void synchronise(Picos timestamp) { echo_ = timestamp; }
  /// Processes a segment of an established connection: payload, FIN, or a window probe. `timers`:
  /// of this end's host.
  void receive(const Segment& segment, Picos now, const TimerWheel& timers = {});
  /// The application has read `bytes` more, at most what was received in order and not yet read.
  void read(std::int64_t bytes);

  /// Bytes received in order.
  std::int64_t received() const { return next_ - (finished() ? 1 : 0); }
  /// The whole stream and the FIN have arrived.
  bool finished() const { return next_ == fin_end_; }
  std::int64_t window() const { return std::int64_t{buffer_} - unread_; }
  bool has_gap() const { return !beyond_.empty(); }

  bool must_acknowledge(Picos now) const { return acknowledge_now_ || deadline_ <= now; }
  void acknowledge_soon() { acknowledge_now_ = true; }
  /// When a delayed acknowledgement is due, or kNever.
  Picos deadline() const { return deadline_; }

  /// Writes the acknowledgement into a segment that is about to be sent. SACK blocks go only into
  /// segments without payload, so that data segments keep their size.
  void acknowledge(Segment& segment);

  /// Frees memory that an idle connection does not need.
  void release() {
    if (beyond_.empty()) beyond_ = {};
  }

 private:
  void insert_beyond(SackBlock block);
  void report_blocks(Segment& segment) const;

  std::vector<SackBlock> beyond_;   ///< Blocks beyond a gap, in order, not adjacent to each other.
  std::int64_t latest_beyond_ = 0;  ///< Begin of the block that grew last.
  std::int64_t next_ = 0;           ///< The first sequence number that has not arrived.
  std::int64_t fin_end_ = -1;       ///< The sequence number after FIN; -1 until FIN arrives.
  std::int64_t acknowledged_ = 0;   ///< next_ as of the last acknowledgement.
  Picos last_arrival_;
  Picos echo_;
  Picos deadline_ = kNever;
  std::uint32_t buffer_;
  std::uint32_t unread_ = 0;
  std::uint32_t last_window_ = 0;  ///< window() as of the last acknowledgement.
  std::uint8_t quick_acks_ = kQuickAcks;
  std::uint8_t unacknowledged_segments_ = 0;
  bool interactive_;
  bool acknowledge_now_ = false;
};

}  // namespace overlane::transport

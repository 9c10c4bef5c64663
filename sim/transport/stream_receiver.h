#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sim/transport/segment.h"

namespace overlane::transport {

/// Linux's TCP_DELACK_MIN.
inline constexpr Picos kDelayedAck = milliseconds(40);
/// Linux's TCP_MAX_QUICKACKS.
inline constexpr int kQuickAcks = 16;

/// The receiving half of a TCP connection: puts the stream in order and decides when to acknowledge
/// (RFC 9293 §3.8.6.3: every second segment, at once beyond or into a gap).
class StreamReceiver {
 public:
  /// `buffer`: most bytes held for the application. Unless `interactive`, the first kQuickAcks
  /// segments are acknowledged at once.
  StreamReceiver(std::int64_t buffer, bool interactive)
      : buffer_(buffer), interactive_(interactive) {}

  /// Takes the timestamp of the other end's SYN.
  void synchronise(Picos timestamp) { echo_ = timestamp; }
  /// Takes a segment with payload.
  void receive(const Segment& segment, Picos now);
  /// The application has read `bytes` more.
  void read(std::int64_t bytes);

  /// In-order bytes so far.
  std::int64_t received() const { return next_; }
  std::int64_t window() const { return buffer_ - (next_ - read_); }
  bool has_gap() const { return !beyond_.empty(); }

  bool must_acknowledge(Picos now) const {
    return acknowledge_now_ || (deadline_ && *deadline_ <= now);
  }
  void acknowledge_soon() { acknowledge_now_ = true; }
  /// When a delayed acknowledgement falls due.
  std::optional<Picos> deadline() const { return deadline_; }

  /// Writes the acknowledgement into a segment that is about to be sent. SACK blocks go into
  /// segments without payload only, so that data segments keep their size.
  void acknowledge(Segment& segment);

 private:
  void insert_beyond(const Segment& segment);

  std::int64_t buffer_;
  bool interactive_;
  int quick_acks_ = kQuickAcks;
  std::int64_t next_ = 0;
  std::int64_t read_ = 0;
  std::map<std::int64_t, std::int64_t> beyond_;  ///< begin → end of what lies beyond a gap.
  std::int64_t latest_beyond_ = 0;               ///< Begin of the block that grew last.
  int unacknowledged_segments_ = 0;
  bool acknowledge_now_ = false;
  std::optional<Picos> deadline_;
  Picos last_arrival_;
  Picos echo_;
  std::int64_t last_acknowledged_ = 0;
  std::int64_t last_window_ = 0;
};

}  // namespace overlane::transport

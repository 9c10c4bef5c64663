#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "dataplane/net/units.h"
#include "sim/transport/congestion_window.h"
#include "sim/transport/path_mtu_search.h"
#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/scoreboard.h"
#include "sim/transport/segment.h"
#include "sim/transport/stream_receiver.h"

namespace overlane::transport {

/// Maximum bytes of one connection queued in its own host (TCP small queues): two 64 KiB buffers,
/// the minimum in Linux (tcp_small_queue_check).
inline constexpr std::int64_t kSmallQueue = 2 * 65'536;

/// Linux's net.ipv4.route.min_pmtu; IPv6's minimum link MTU (RFC 8200, section 5).
inline constexpr std::uint32_t kMinPathMtu = 552;
inline constexpr std::uint32_t kMinPathMtuV6 = 1280;

/// Linux's TCP_TIMEWAIT_LEN.
inline constexpr Picos kTimeWait = seconds(60);
/// Maximum delay of the acknowledgement of a single segment (WCDelAckT of RFC 8985 section 7.2):
/// Linux uses TCP_RTO_MIN.
inline constexpr Picos kLatestDelayedAck = milliseconds(200);

/// The maximum number of bytes to write: a stream that does not end.
inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 2;

/// One end of a TCP connection (RFC 9293) as in Linux: CUBIC or NewReno, RACK-TLP (RFC 8985) with
/// proportional rate reduction, retransmission timeouts (RFC 6298), delayed acknowledgements, path
/// MTU discovery by ICMP (RFC 1191, RFC 8201) and by probes, limits on retries, FIN, RST from a
/// host that does not know the connection. Not modelled: ECN, urgent data, fast open, keep-alive,
/// Nagle's algorithm (TCP_NODELAY is set), F-RTO (RFC 5682) and other detection of spurious
/// retransmissions, the timeout of FIN-WAIT-2, and the slow decay of a partly used window
/// (tcp_cwnd_application_limited).
///
/// A pure state machine without a clock or randomness. The owner calls an input (open, write,
/// receive, …) with the current time, then calls next() until it returns no segment, and calls
/// expire() at deadline(). Times must not decrease. An object belongs to one thread at a time.
class TcpConnection {
 public:
  using Config = TcpConfig;
  /// Copies `config`.
  explicit TcpConnection(const Config& config);
  /// Several connections may share one `config`.
  explicit TcpConnection(std::shared_ptr<const Config> config);

  /// Makes this end the client: it sends SYN. An end that was not opened listens. Call only once,
  /// before any segment arrived.
  void open(Picos now);
  /// The application writes `bytes` more. Not after close().
  void write(std::int64_t bytes);
  /// The application writes no more: FIN follows the last byte. Reading is still possible. A client
  /// without data that waits for its SYN-ACK is closed() at once.
  void close();
  /// A segment arrives. Returns the round-trip time if it acknowledges new data, or kNever.
  Picos receive(const Segment& segment, Picos now);
  /// An ICMP error says that only packets up to `mtu` pass.
  void packet_too_big(std::uint32_t mtu);
  /// `bytes` of IP packets left this host or were dropped in it.
  void left_host(std::int64_t bytes) { in_host_ -= static_cast<std::uint32_t>(bytes); }
  /// Bytes of IP packets that have not left this host yet.
  std::int64_t in_host() const { return in_host_; }
  /// The application has read `bytes` of received().
  void read(std::int64_t bytes) { receiver_.read(bytes); }
  /// The time deadline() has come. Earlier calls have no effect.
  void expire(Picos now);

  /// The next segment to send now, or nothing. The owner then queues its ip_bytes() in the host.
  /// Without `data`, for example while the core is busy, only acknowledgements are sent.
  std::optional<Segment> next(Picos now, bool data = true);
  /// Whether data waits to be sent or retransmitted.
  bool has_data() const {
    return established() && (sent_ < stream_end() || scoreboard_.has_lost());
  }
  /// When to call expire() next. kNever while the connection only waits for the application or the
  /// other end, and after it closed() or failed().
  Picos deadline() const;
  /// Frees memory that a connection with nothing outstanding does not need.
  void release();

  /// True while this end waits for a SYN. The owner answers other segments that acknowledge with
  /// RST: they belong to a connection that this host does not know.
  bool listening() const { return phase_ == Phase::Listen; }
  /// The handshake is complete, and at least one direction is open.
  bool established() const { return phase_ == Phase::Established; }
  /// Failed: the other end did not answer the SYN (tcp_syn_retries) or the data (tcp_retries2), or
  /// knows of no such connection. Nothing more is sent. A listening end returns to listening
  /// instead.
  bool failed() const { return phase_ == Phase::Failed; }
  /// All data and the FIN of the other end have arrived: the application reads end of file.
  bool peer_closed() const { return receiver_.finished(); }
  /// TIME-WAIT: both directions are closed, and the end that closed first waits for stray segments.
  bool time_waiting() const { return phase_ == Phase::TimeWait; }
  /// Closed, after kTimeWait if it applies: the object may be destroyed.
  bool closed() const { return phase_ == Phase::Closed; }

  std::int64_t received() const { return receiver_.received(); }
  std::int64_t acknowledged() const { return std::min(acknowledged_, written_); }
  const std::shared_ptr<const Config>& config() const { return config_; }
  std::uint32_t mss() const { return mss_; }
  std::int64_t congestion_window() const { return window_.bytes(); }
  bool in_slow_start() const { return window_.in_slow_start(); }
  /// Bytes of the stream that were sent and not acknowledged.
  std::int64_t in_flight() const { return flight(); }
  Picos smoothed_rtt() const { return timeout_.smoothed(); }
  /// Retransmitted segments, tail loss probes included.
  std::int64_t retransmissions() const { return retransmissions_; }
  /// How long `reason` held the sender back until `now`.
  Picos stalled(Stall reason, Picos now) const { return stall_.total(reason, now); }

 private:
  enum class Phase : std::uint8_t {
    Listen,
    SynSent,
    SynReceived,
    Established,
    TimeWait,
    Closed,
    Failed
  };
  enum class Recovery : std::uint8_t { None, Fast, Timeout };
  enum class Early : std::uint8_t { LossProbe, Reordering };

  // Phases.
  void listen();
  void handshake(const Segment& segment, Picos now);
  void finish(Picos now);
  void reset();
  void end(Phase phase);
  void adjust_mss();
  std::uint32_t overhead() const { return config_->ip_header + kTcpOverhead; }

  // Sending.
  std::optional<Segment> next_syn(Picos now);
  std::optional<Segment> next_data(Picos now);
  std::optional<Segment> next_loss_probe(Picos now);
  Segment retransmit(const Scoreboard::Sent& sent, Picos now);
  Segment send_new(std::uint32_t length, Picos now);
  std::uint32_t new_data_length(Picos now);
  std::uint32_t mtu_probe_length(Picos now);
  Segment segment_at(std::int64_t begin, std::uint32_t length, Picos now);
  bool held_back(std::uint32_t length, Picos now);
  void note_usage(bool limited);
  /// Sequence number after the last byte, and after FIN if closing.
  std::int64_t stream_end() const { return written_ + (closing_ ? 1 : 0); }
  std::int64_t flight() const { return sent_ - acknowledged_; }

  // Acknowledgements.
  Picos receive_acknowledgement(const Segment& segment, Picos now);
  void acknowledge_new(std::int64_t fresh, const Scoreboard::Delivery& delivery, Picos now);
  void end_loss_probe(const Segment& segment, bool is_news);
  bool detect_loss(Picos now);
  void reduce();

  // Timers.
  void arm(Picos now) { retransmit_at_ = config_->timers.expiry(now, timeout_.timeout()); }
  void arm_early(Picos now);
  void expire_early(Picos now);
  void expire_handshake(Picos now);
  void expire_window_probe(Picos now);
  void expire_retransmission(Picos now);

  std::shared_ptr<const Config> config_;
  std::int64_t written_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t acknowledged_ = 0;
  std::int64_t window_edge_ = 0;  ///< First byte beyond the receive window.
  std::int64_t recovery_point_ = 0;
  std::int64_t usage_end_ = 0;        ///< sent_ when the usage of the window was last recorded.
  std::int64_t loss_probe_end_ = -1;  ///< TLP.end_seq; -1 while no probe is outstanding.
  Picos retransmit_at_ = kNever;      ///< Also for SYN, window probes and TIME-WAIT.
  Picos early_at_ = kNever;
  Picos last_sent_;     ///< Data segments only.
  Picos silent_since_;  ///< During consecutive timeouts: when the first missing segment was last
                        ///< sent before them.
  Scoreboard scoreboard_;
  CongestionWindow window_;
  RateReduction reduction_;
  RetransmissionTimeout timeout_;
  PathMtuSearch search_;
  StreamReceiver receiver_;
  StallClock stall_;

  std::uint32_t in_host_ = 0;
  std::uint32_t most_flight_ = 0;  ///< flight() when usage_end_ was set.
  std::uint32_t retransmissions_ = 0;
  std::uint16_t mss_ = 0;
  std::uint16_t path_mss_ = 0;  ///< Limit of both ends and of ICMP errors.
  std::uint8_t retries_ = 0;    ///< Timeouts since the last acknowledgement of new data.
  Phase phase_ = Phase::Listen;
  Recovery recovery_ = Recovery::None;
  Early early_ = Early::LossProbe;
  bool syn_due_ = false;
  bool loss_probe_due_ = false;
  bool loss_probe_repeats_ = false;  ///< TLP.is_retrans
  bool window_probe_due_ = false;    ///< A probe of a closed receive window is to be sent.
  bool window_limited_ = false;      ///< The congestion window held the sender back.
  bool closing_ = false;
  bool closed_second_ = false;  ///< The other end's FIN arrived before this end's was sent.
};

/// A simulated cluster has up to a million connections, most of them idle. After release(), an idle
/// one takes only this memory, besides the shared Config.
static_assert(sizeof(TcpConnection) <= 544);

}  // namespace overlane::transport

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "sim/transport/congestion_window.h"
#include "sim/transport/path_mtu_search.h"
#include "sim/transport/rate_reduction.h"
#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/scoreboard.h"
#include "sim/transport/segment.h"
#include "sim/transport/stall_clock.h"
#include "sim/transport/stream_receiver.h"
#include "sim/transport/tcp_config.h"
#include "sim/transport/timer.h"

namespace overlane::transport {

/// Most bytes of one connection that wait in its own host (TCP small queues): two 64 KiB buffers,
/// the least that Linux allows (tcp_small_queue_check).
inline constexpr std::int64_t kSmallQueue = 2 * 65'536;

/// Linux's net.ipv4.route.min_pmtu; IPv6's least link MTU (RFC 8200, section 5).
inline constexpr std::uint32_t kLeastPathMtu = 552;
inline constexpr std::uint32_t kLeastPathMtuV6 = 1280;

/// Linux's TCP_TIMEWAIT_LEN.
inline constexpr Picos kTimeWait = seconds(60);
/// How late an acknowledgement of one segment may be (WCDelAckT of RFC 8985 section 7.2): Linux
/// takes TCP_RTO_MIN.
inline constexpr Picos kLatestDelayedAck = milliseconds(200);

/// As much as a connection can be asked to send.
inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 2;

/// One end of a TCP connection (RFC 9293) as Linux makes it: CUBIC or NewReno, RACK-TLP (RFC 8985)
/// with proportional rate reduction, retransmission timeouts (RFC 6298), delayed acknowledgements,
/// path MTU discovery by ICMP (RFC 1191, RFC 8201) and by probes, giving up, FIN.
/// Not modelled: RST, ECN, urgent data, fast open, keep-alive, Nagle's algorithm (TCP_NODELAY is
/// set), F-RTO (RFC 5682) and other undoing of needless retransmissions, FIN-WAIT-2's timeout, and
/// the slow decay of a window that is only partly used (tcp_cwnd_application_limited).
///
/// A pure state machine. The owner calls an input (open, write, receive, …) with the time, then
/// takes segments with next() until there is none, and calls expire() at deadline().
class TcpConnection {
 public:
  using Config = TcpConfig;
  /// With a copy of `config`.
  explicit TcpConnection(const Config& config);
  /// Many connections may share one `config`.
  explicit TcpConnection(std::shared_ptr<const Config> config);

  /// Makes this the client: sends SYN. The other end only listens.
  void open(Picos now);
  /// The application hands over `bytes` more. Not after close().
  void write(std::int64_t bytes);
  /// The application will write no more: FIN follows the last byte. It may still read. Without
  /// anything written, a client that waits for its SYN-ACK is closed() at once.
  void close();
  /// A segment arrives. Returns the round-trip time when it acknowledges new data.
  std::optional<Picos> receive(const Segment& segment, Picos now);
  /// An ICMP error says that only packets up to `mtu` pass.
  void packet_too_big(std::uint32_t mtu);
  /// `bytes` of IP packets have left this host, by its NIC or by being dropped in it.
  void left_host(std::int64_t bytes) { in_host_ -= static_cast<std::uint32_t>(bytes); }
  /// Bytes of IP packets that have not left it yet.
  std::int64_t in_host() const { return in_host_; }
  /// The application has read `bytes` of what received() counts.
  void read(std::int64_t bytes) { receiver_.read(bytes); }
  /// The moment of deadline() has come. Earlier calls do nothing.
  void expire(Picos now);

  /// The next segment to send now, or nothing. The owner hands its ip_bytes() to the host. Without
  /// `data`, payload has to wait, as for a core that is busy, and only acknowledgements go.
  std::optional<Segment> next(Picos now, bool data = true);
  /// Whether there is something to send as far as the application is concerned.
  bool has_data() const {
    return established() && (sent_ < stream_end() || scoreboard_.has_lost());
  }
  /// When expire() wants to be called next. Nothing while the connection only waits for others,
  /// and once it is closed() or failed().
  std::optional<Picos> deadline() const;
  /// Gives back the memory that a connection with nothing under way does not need.
  void release();

  /// The handshake is done, and not both directions are closed.
  bool established() const { return phase_ == Phase::Established; }
  /// Gave up: nobody answered the SYN (tcp_syn_retries) or the data (tcp_retries2). It sends no
  /// more. An end that listens goes back to listening instead.
  bool failed() const { return phase_ == Phase::Failed; }
  /// All data and FIN of the other end have come: the application reads end of file.
  bool peer_closed() const { return receiver_.finished(); }
  /// Both directions are closed, and the end that closed first waits for stray segments.
  bool time_waiting() const { return phase_ == Phase::TimeWait; }
  /// Nothing will happen any more, kTimeWait included: the object may go.
  bool closed() const { return phase_ == Phase::Closed; }

  std::int64_t received() const { return receiver_.received(); }
  std::int64_t acknowledged() const { return std::min(acknowledged_, written_); }
  const std::shared_ptr<const Config>& config() const { return config_; }
  std::uint32_t mss() const { return mss_; }
  std::int64_t congestion_window() const { return window_.bytes(); }
  /// Bytes of the stream that were sent and not acknowledged.
  std::int64_t in_flight() const { return flight(); }
  Picos smoothed_rtt() const { return timeout_.smoothed(); }
  /// Segments sent again, tail loss probes included.
  std::int64_t retransmissions() const { return retransmissions_; }
  /// How long each reason held the sender back until `now`.
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

  // tcp_connection.cpp: the phases.
  void listen();
  void handshake(const Segment& segment, Picos now);
  void finish(Picos now);
  void end(Phase phase);
  void adjust_mss();
  std::uint32_t overhead() const { return config_->ip_header + kTcpOverhead; }

  // tcp_output.cpp: what is sent.
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
  /// Past the last byte, and FIN.
  std::int64_t stream_end() const { return written_ + (closing_ ? 1 : 0); }
  std::int64_t flight() const { return sent_ - acknowledged_; }

  // tcp_recovery.cpp: what acknowledgements say.
  std::optional<Picos> receive_acknowledgement(const Segment& segment, Picos now);
  void acknowledge_new(std::int64_t fresh, Picos now);
  void end_loss_probe(const Segment& segment, bool is_news);
  bool detect_loss(Picos now);
  void reduce();

  // tcp_timers.cpp
  void arm(Picos now) { retransmit_at_ = now + timeout_.timeout(); }
  void arm_early(Picos now);
  void expire_early(Picos now);
  void expire_handshake(Picos now);
  void expire_window_probe(Picos now);
  void expire_retransmission(Picos now);

  std::shared_ptr<const Config> config_;
  std::int64_t written_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t acknowledged_ = 0;
  std::int64_t window_edge_ = 0;  ///< First byte that the other end has not offered to take.
  std::int64_t recovery_point_ = 0;
  std::int64_t usage_end_ = 0;        ///< Of what was sent when the use of the window was noted.
  std::int64_t loss_probe_end_ = -1;  ///< TLP.end_seq; -1 while no probe is under way.
  Picos retransmit_at_ = kNever;      ///< Also of SYN, of window probes and of TIME-WAIT.
  Picos early_at_ = kNever;
  Picos last_sent_;     ///< Data.
  Picos silent_since_;  ///< Timeouts in a row: when what is missing was sent first.
  Scoreboard scoreboard_;
  CongestionWindow window_;
  RateReduction reduction_;
  RetransmissionTimeout timeout_;
  PathMtuSearch search_;
  StreamReceiver receiver_;
  StallClock stall_;

  std::uint32_t in_host_ = 0;
  std::uint32_t most_flight_ = 0;  ///< Since what lies before usage_end_ was sent.
  std::uint32_t retransmissions_ = 0;
  std::uint16_t mss_ = 0;
  std::uint16_t path_mss_ = 0;  ///< What the ends and the routers allow.
  std::uint8_t retries_ = 0;    ///< Timeouts since something was acknowledged.
  Phase phase_ = Phase::Listen;
  Recovery recovery_ = Recovery::None;
  Early early_ = Early::LossProbe;
  bool syn_due_ = false;
  bool loss_probe_due_ = false;
  bool loss_probe_repeats_ = false;  ///< TLP.is_retrans
  bool window_probe_due_ = false;    ///< A closed receive window is to be asked for.
  bool window_limited_ = false;      ///< The congestion window held the sender back.
  bool closing_ = false;
  bool closed_second_ = false;  ///< The other end's FIN came before this one's was sent.
};

/// A simulated cluster has up to a million connections, most of them idle: an end that has nothing
/// under way, after release(), is this and no memory besides (but for the shared Config).
static_assert(sizeof(TcpConnection) <= 512);

}  // namespace overlane::transport

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "sim/transport/congestion_window.h"
#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/scoreboard.h"
#include "sim/transport/segment.h"
#include "sim/transport/stream_receiver.h"

namespace overlane::transport {

/// Most bytes of one connection that wait in its own host (TCP small queues): two 64 KiB buffers,
/// the least that Linux allows (tcp_small_queue_check).
inline constexpr std::int64_t kSmallQueue = 2 * 65'536;

/// Linux's net.ipv4.route.min_pmtu; IPv6's least link MTU (RFC 8200, section 5).
inline constexpr std::uint32_t kLeastPathMtu = 552;
inline constexpr std::uint32_t kLeastPathMtuV6 = 1280;

/// As much as a connection can be asked to send.
inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 2;

/// What keeps a sender from sending more at a moment.
enum class Stall : std::uint8_t { Application, CongestionWindow, ReceiveWindow, HostQueue };
inline constexpr std::size_t kStallCount = 4;

/// One end of a TCP connection: handshake, CUBIC or NewReno, SACK-based loss recovery (RFC 6675),
/// retransmission timeout (RFC 6298), delayed acknowledgements, path MTU discovery (RFC 1191, RFC
/// 8201).
/// Neither FIN nor RST: connections last until the run ends, and never give up.
///
/// A pure state machine. The owner calls an input (open, write, receive, …) with the time, then
/// takes segments with next() until there is none, and calls expire() at deadline().
class TcpConnection {
 public:
  struct Config {
    std::uint32_t mtu = 1500;              ///< Of the pod's device.
    std::uint8_t ip_header = kIpv4Header;  ///< Or kIpv6Header.
    std::int64_t receive_buffer = 3 << 20;
    bool interactive = false;  ///< Requests and responses: acknowledgements wait for a ride.
    Picos measured_from;       ///< stalled() counts from here.
    CongestionControl congestion_control = CongestionControl::Cubic;
  };
  explicit TcpConnection(const Config& config);

  /// Makes this the client: sends SYN. The other end only listens.
  void open(Picos now);
  /// The application hands over `bytes` more.
  void write(std::int64_t bytes);
  /// A segment arrives. Returns the round-trip time when it acknowledges new data.
  std::optional<Picos> receive(const Segment& segment, Picos now);
  /// An ICMP error says that only packets up to `mtu` pass.
  void packet_too_big(std::uint32_t mtu);
  /// `bytes` of IP packets have left this host, by its NIC or by being dropped in it.
  void left_host(std::int64_t bytes) { in_host_ -= bytes; }
  /// The application has read `bytes` of what received() counts.
  void read(std::int64_t bytes) { receiver_.read(bytes); }
  /// The moment of deadline() has come.
  void expire(Picos now);

  /// The next segment to send now, or nothing. The owner hands its ip_bytes() to the host.
  std::optional<Segment> next(Picos now);
  /// When expire() wants to be called next.
  std::optional<Picos> deadline() const;

  bool established() const { return phase_ == Phase::Established; }
  std::int64_t received() const { return receiver_.received(); }
  std::int64_t acknowledged() const { return acknowledged_; }
  std::uint32_t mss() const { return mss_; }
  std::int64_t congestion_window() const { return window_.bytes(); }
  Picos smoothed_rtt() const { return timeout_.smoothed(); }
  std::int64_t retransmissions() const { return retransmissions_; }
  /// How long each reason held the sender back until `now`.
  Picos stalled(Stall reason, Picos now) const;

 private:
  enum class Phase : std::uint8_t { Listen, SynSent, SynReceived, Established };
  enum class Recovery : std::uint8_t { None, Fast, Timeout };

  void handshake(const Segment& segment, Picos now);
  std::optional<Picos> receive_acknowledgement(const Segment& segment, Picos now);
  void acknowledge_new(std::int64_t next_expected, Picos now);
  void detect_loss();
  std::optional<Segment> next_syn(Picos now);
  std::optional<Segment> next_data(Picos now);
  std::uint32_t overhead() const { return config_.ip_header + kTcpOverhead; }
  Segment data(std::int64_t begin, std::uint32_t length, Picos now);
  std::uint32_t new_data_length(Picos now);
  void arm(Picos now) { retransmit_at_ = now + timeout_.timeout(); }
  void note_stall(Stall reason, Picos now);
  std::int64_t flight() const { return sent_ - acknowledged_; }

  Config config_;
  Phase phase_ = Phase::Listen;
  bool syn_due_ = false;

  std::uint32_t mss_;
  std::int64_t written_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t acknowledged_ = 0;
  std::int64_t window_edge_ = 0;  ///< First byte that the other end has not offered to take.
  std::int64_t in_host_ = 0;
  Scoreboard scoreboard_;
  CongestionWindow window_;
  RetransmissionTimeout timeout_;
  std::optional<Picos> retransmit_at_;
  Recovery recovery_ = Recovery::None;
  std::int64_t recovery_point_ = 0;
  bool window_limited_ = false;  ///< The congestion window stopped the last round of sending.
  bool probe_window_ = false;    ///< A closed receive window is to be tried with one segment.
  bool backed_off_ = false;      ///< The last timeout has not been followed by progress yet.
  std::int64_t retransmissions_ = 0;

  StreamReceiver receiver_;

  Stall stall_ = Stall::Application;
  Picos stalled_since_;
  std::array<Picos, kStallCount> stalled_{};
};

}  // namespace overlane::transport

#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <boost/container/static_vector.hpp>

#include "dataplane/net/units.h"
#include "sim/transport/timer_wheel.h"

namespace overlane::transport {

// A TCP segment as the simulator passes it between hosts, and the settings of a connection. The
// payload has no bytes, only a length.

/// Bytes [begin, end) that a receiver holds beyond a gap (RFC 2018).
struct SackBlock {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  auto operator<=>(const SackBlock&) const = default;
};

/// With timestamps, at most three blocks fit the 40 bytes of TCP options (RFC 2018 §3).
inline constexpr std::size_t kMaxSackBlocks = 3;
/// Copying costs only the blocks in use: most segments have none.
using SackBlocks = boost::container::static_vector<SackBlock, kMaxSackBlocks>;

inline constexpr std::uint8_t kIpv4Header = 20;
inline constexpr std::uint8_t kIpv6Header = 40;
inline constexpr std::uint32_t kUdpHeader = 8;
inline constexpr std::uint32_t kTcpHeader = 20;
/// NOP, NOP, timestamps (RFC 7323 appendix A): on every segment.
inline constexpr std::uint32_t kTimestampOption = 12;
/// MSS 4, SACK permitted 2, timestamps 10, NOP 1, window scale 3: Linux's SYN.
inline constexpr std::uint32_t kSynOptions = 20;
/// Bytes of TCP header per data segment: MSS = MTU − 52 with IPv4, − 72 with IPv6.
inline constexpr std::uint32_t kTcpOverhead = kTcpHeader + kTimestampOption;

/// A TCP segment. Sequence numbers count the payload bytes of one direction from 0 and never wrap
/// (those on the wire are modulo 2^32); SYN takes none, FIN the one after the last byte. ECN is not
/// modelled.
struct Segment {
  std::int64_t sequence = 0;
  std::int64_t acknowledges = 0;         ///< Next byte expected from the other end.
  std::int64_t window = 0;               ///< Bytes that the sender of this segment can receive.
  Picos timestamp;                       ///< TSval: when the segment was sent.
  Picos echo;                            ///< TSecr: the timestamp that it echoes.
  std::uint32_t length = 0;              ///< Payload bytes.
  std::uint8_t ip_header = kIpv4Header;  ///< Bytes.
  std::uint16_t mss = 0;                 ///< SYN only: the sender's MTU minus IP and TCP headers.
  /// Number of segments that GRO merged; all but the last have equal length.
  std::uint16_t wire_segments = 1;
  bool syn = false;
  bool ack = false;
  bool fin = false;
  bool rst = false;  ///< Alone: there is no such connection.
  SackBlocks sack;

  /// The sequence number after the last byte, or after FIN.
  std::int64_t end() const { return sequence + length + (fin ? 1 : 0); }
  bool is_pure_ack() const { return !syn && !fin && !rst && length == 0; }
  /// Length of the IP packet.
  std::uint32_t ip_bytes() const {
    if (syn) return ip_header + kTcpHeader + kSynOptions;
    if (rst) return ip_header + kTcpHeader;  // tcp_v4_send_reset
    const auto blocks = static_cast<std::uint32_t>(sack.size());
    const std::uint32_t sack_option = blocks == 0 ? 0 : 4 + 8 * blocks;
    return ip_header + kTcpOverhead + sack_option + length;
  }
};

/// net.ipv4.tcp_congestion_control: a closed list, one row of kCongestionControls each.
/// CongestionWindow implements them.
enum class CongestionControl : std::uint8_t { Cubic, NewReno };

struct CongestionControlRow {
  CongestionControl value;
  std::string_view name;    ///< Linux's name, also used in scenario files.
  std::string_view source;  ///< Algorithm and RFC, as a report names it.
};

/// In the order of CongestionControl; the first is Linux's default and that of TcpConfig.
inline constexpr std::array kCongestionControls = {
    CongestionControlRow{CongestionControl::Cubic, "cubic", "CUBIC, RFC 9438"},
    CongestionControlRow{CongestionControl::NewReno, "reno", "NewReno, RFC 5681"}};

constexpr const CongestionControlRow& row_of(CongestionControl control) {
  return kCongestionControls[static_cast<std::size_t>(control)];
}
static_assert(row_of(CongestionControl::Cubic).value == CongestionControl::Cubic &&
              row_of(CongestionControl::NewReno).value == CongestionControl::NewReno);

/// Settings of a TCP connection. The defaults are those of Linux
/// (Documentation/networking/ip-sysctl.rst).
struct TcpConfig {
  std::uint32_t mtu = 1500;              ///< MTU of the pod's device.
  std::uint8_t ip_header = kIpv4Header;  ///< kIpv4Header or kIpv6Header.
  std::int64_t receive_buffer = 3 << 20;
  bool interactive = false;  ///< Requests and responses: acknowledgements wait for data.
  Picos measured_from;       ///< stalled() counts from here.
  TimerWheel timers;         ///< Granularity of the kernel's timers; exact by default.

  CongestionControl congestion_control = CongestionControl::Cubic;
  bool slow_start_after_idle = true;  ///< net.ipv4.tcp_slow_start_after_idle
  bool tail_loss_probe = true;        ///< net.ipv4.tcp_early_retrans is not 0.
  std::uint8_t syn_retries = 6;       ///< net.ipv4.tcp_syn_retries
  std::uint8_t synack_retries = 5;    ///< net.ipv4.tcp_synack_retries
  std::uint8_t retries1 = 3;          ///< net.ipv4.tcp_retries1: then a black hole is suspected.
  std::uint8_t retries2 = 15;         ///< net.ipv4.tcp_retries2: then the connection fails.

  /// net.ipv4.tcp_mtu_probing: 0 never, 1 once a black hole is suspected, 2 from the start.
  std::uint8_t mtu_probing = 0;
  std::uint16_t base_mss = 1024;            ///< net.ipv4.tcp_base_mss
  std::uint16_t mtu_probe_floor = 48;       ///< net.ipv4.tcp_mtu_probe_floor
  std::uint16_t probe_threshold = 8;        ///< net.ipv4.tcp_probe_threshold, bytes
  Picos probe_interval = seconds(10 * 60);  ///< net.ipv4.tcp_probe_interval
};

}  // namespace overlane::transport

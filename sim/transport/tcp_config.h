#pragma once

#include <cstdint>

#include "sim/transport/segment.h"

namespace overlane::transport {

/// net.ipv4.tcp_congestion_control, a closed list.
enum class CongestionControl : std::uint8_t { Cubic, NewReno };

/// Settings of a TCP connection. The defaults are those of Linux
/// (Documentation/networking/ip-sysctl.rst).
struct TcpConfig {
  std::uint32_t mtu = 1500;              ///< Of the pod's device.
  std::uint8_t ip_header = kIpv4Header;  ///< Or kIpv6Header.
  std::int64_t receive_buffer = 3 << 20;
  bool interactive = false;  ///< Requests and responses: acknowledgements wait for data.
  Picos measured_from;       ///< stalled() counts from here.

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

#pragma once

#include <cstdint>

#include "sim/transport/retransmission_timeout.h"
#include "sim/transport/segment.h"

namespace overlane::transport {

/// Packetization-layer path MTU discovery (RFC 4821) as Linux implements it with
/// net.ipv4.tcp_mtu_probing (tcp_mtup_init, tcp_mtu_probing and tcp_mtu_probe): a binary search, by
/// occasional larger segments, between a size that passes and one that may not. All sizes are those
/// of IP packets. Part of one TcpConnection, which sends the probes and reports whether they
/// arrived.
class PathMtuSearch {
 public:
  /// The handshake negotiated packets up to `largest`, of which `overhead` bytes are headers.
  void begin(const TcpConfig& config, std::uint32_t largest, std::uint32_t overhead, Picos now);

  bool searching() const { return searching_; }
  /// The largest packet for ordinary segments.
  std::uint32_t limit() const;
  /// No acknowledgement for the time of tcp_retries1. The first call starts the search, later calls
  /// halve its lower end.
  void black_hole(const TcpConfig& config, std::uint32_t overhead, Picos now);
  /// An ICMP error: packets above `mtu` do not pass.
  void lower(std::uint32_t mtu);

  /// Size of the packet to probe with if a probe is due, otherwise 0. The caller ensures that no
  /// recovery is in progress and that there is enough data to send.
  std::uint32_t next_probe(const TcpConfig& config, std::uint32_t overhead, Picos now);
  /// The probe was sent; its first byte has sequence number `begin`.
  void probe_sent(std::uint32_t packet, std::int64_t begin);
  bool probing() const { return probe_ != 0; }
  std::int64_t probe_begin() const { return probe_begin_; }
  /// Sequence number after the probe's last byte.
  std::int64_t probe_end(std::uint32_t overhead) const { return probe_begin_ + probe_ - overhead; }

  void probe_arrived();
  /// The probe was lost but other segments arrived.
  void probe_failed();
  /// The probe was lost with other segments, which says nothing about its size.
  void forget_probe() { probe_ = 0; }

 private:
  Picos since_;  ///< When the range was last reset to its full width.
  std::int64_t probe_begin_ = 0;
  std::uint16_t low_ = 0;      ///< icsk_mtup.search_low
  std::uint16_t high_ = 0;     ///< icsk_mtup.search_high
  std::uint16_t largest_ = 0;  ///< Largest packet that the devices of both ends accept.
  std::uint16_t probe_ = 0;    ///< icsk_mtup.probe_size
  bool searching_ = false;     ///< icsk_mtup.enabled
};

}  // namespace overlane::transport

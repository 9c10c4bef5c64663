#pragma once

#include <cstdint>

#include "sim/transport/tcp_config.h"
#include "sim/transport/timer.h"

namespace overlane::transport {

/// Packetization-layer path MTU discovery (RFC 4821) as Linux does it with net.ipv4.tcp_mtu_probing
/// (tcp_mtup_init, tcp_mtu_probing and tcp_mtu_probe): a binary search, by larger segments now and
/// then, between a size that passes and one that may not. All sizes are of IP packets.
class PathMtuSearch {
 public:
  /// The handshake has agreed on packets up to `largest`; `overhead` bytes of one are headers.
  void begin(const TcpConfig& config, std::uint32_t largest, std::uint32_t overhead, Picos now);

  bool searching() const { return searching_; }
  /// The largest packet for ordinary segments, as far as the search knows.
  std::uint32_t limit() const;
  /// No acknowledgement came for as long as tcp_retries1 says. The first time the search begins,
  /// later ones halve its lower end.
  void black_hole(const TcpConfig& config, std::uint32_t overhead, Picos now);
  /// A router says that packets above `mtu` do not pass.
  void lower(std::uint32_t mtu);

  /// The packet to probe with now, if it is time for one; 0 otherwise. The caller sees to it that
  /// nothing is being recovered and that there is enough to send.
  std::uint32_t next_probe(const TcpConfig& config, std::uint32_t overhead, Picos now);
  /// The probe is on its way; its first byte is number `begin` of the stream.
  void probe_sent(std::uint32_t packet, std::int64_t begin);
  bool probing() const { return probe_ != 0; }
  std::int64_t probe_begin() const { return probe_begin_; }
  /// The first byte after it.
  std::int64_t probe_end(std::uint32_t overhead) const { return probe_begin_ + probe_ - overhead; }

  void probe_arrived();
  /// It was lost while others arrived.
  void probe_failed();
  /// It was lost with others, which says nothing of its size.
  void forget_probe() { probe_ = 0; }

 private:
  Picos since_;  ///< When the range was last set to all that is possible.
  std::int64_t probe_begin_ = 0;
  std::uint16_t low_ = 0;      ///< icsk_mtup.search_low
  std::uint16_t high_ = 0;     ///< icsk_mtup.search_high
  std::uint16_t largest_ = 0;  ///< What the two ends' devices carry.
  std::uint16_t probe_ = 0;    ///< icsk_mtup.probe_size
  bool searching_ = false;     ///< icsk_mtup.enabled
};

}  // namespace overlane::transport

#pragma once

#include <cstdint>
#include <string_view>

#include "dataplane/net/units.h"

namespace overlane::node {

/// Which way a packet of a connection goes.
enum class Direction : std::uint8_t { Original, Reply };

/// How far a TCP connection is as a middle box sees it (enum tcp_conntrack).
enum class TcpState : std::uint8_t {
  None,
  SynSent,
  SynRecv,
  Established,
  FinWait,
  CloseWait,
  LastAck,
  TimeWait,
  Close,
  SynSent2,  ///< Both sides sent a SYN.
};

std::string_view to_string(TcpState state);

/// How long a connection in this state outlives its last packet (tcp_timeouts of
/// nf_conntrack_proto_tcp.c, the sysctls nf_conntrack_tcp_timeout_*).
Picos timeout(TcpState state);
/// The timeout of an established connection of which only one side was seen
/// (nf_conntrack_tcp_timeout_unacknowledged).
inline constexpr Picos kTcpPickedUpTimeout = seconds(300);

/// Bits of the TCP header's flags (RFC 9293 3.1) that connection tracking looks at.
inline constexpr std::uint8_t kTrackedFin = 0x01;
inline constexpr std::uint8_t kTrackedSyn = 0x02;
inline constexpr std::uint8_t kTrackedRst = 0x04;
inline constexpr std::uint8_t kTrackedAck = 0x10;

/// What a segment does to its connection.
struct TcpStep {
  enum class Kind : std::uint8_t {
    Move,    ///< The connection is in `state` now.
    Ignore,  ///< Passes as a packet of the connection and changes nothing.
    Invalid,
  };
  Kind kind = Kind::Invalid;
  TcpState state = TcpState::None;

  bool operator==(const TcpStep&) const = default;
};

/// The transition table of nf_conntrack_proto_tcp.c (tcp_conntracks), for a segment with these
/// flags. A segment in state None may open a connection: a SYN, or (nf_conntrack_tcp_loose, on by
/// default) an ACK of one that is under way already.
///
/// Sequence numbers and windows are not checked, as with nf_conntrack_tcp_be_liberal: what Linux
/// finds out of window is in its window here, every RST fits, and neither unacknowledged data nor
/// retransmissions shorten a timeout. A SYN that is ignored because the connection seems open
/// leaves no trace: its SYN+ACK does not start the connection anew, and the challenge ACK that
/// answers it in LAST_ACK counts as the last one (RFC 5961).
TcpStep tcp_step(TcpState state, Direction direction, std::uint8_t flags);

}  // namespace overlane::node

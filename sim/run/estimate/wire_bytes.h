#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/packet.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// What the wire has besides a Segment: where the sequence numbers of both directions begin, and by
/// how much windows are scaled (RFC 7323 2).
struct TcpNumbering {
  std::uint32_t sequence = 0;         ///< The sender's SYN.
  std::uint32_t acknowledgement = 0;  ///< The other end's.
  std::uint8_t window_scale = 0;
};

/// The least scale with which a window of so many bytes fits a header.
std::uint8_t window_scale(std::int64_t window_bytes);

/// The bytes of a packet from its outermost IP header on, with right checksums; its payload is
/// zeros. `segment` is what a TCP packet carries, else null. Timestamps tick in milliseconds from
/// 0. Of a fragment of a tunnel packet it is that part of the whole.
std::vector<std::uint8_t> wire_bytes(const forward::Packet& packet,
                                     const transport::Segment* segment, TcpNumbering numbering);

}  // namespace overlane::run

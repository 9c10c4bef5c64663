#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/capture/decode.h"

namespace overlane::capture {

struct Rewritten {
  std::vector<std::uint8_t> bytes;
  std::size_t headers_written = 0;  ///< The others were copied.
};

/// Makes a packet again from `bytes`, what was decoded: reads each of its headers with wire's
/// parser and writes it with wire's writer, checksums of UDP and TCP as they stand. Copied is what
/// wire does not write (link headers of captures, most extension headers, neighbour discovery,
/// WireGuard, options of IPv4), what its parser refuses, payload, padding, and all that an ICMP
/// error quotes. A sound packet comes out byte by byte as it went in, unless its TCP options stand
/// in another order than Linux gives them.
Rewritten rewrite(const DecodedPacket& packet, std::span<const std::uint8_t> bytes);

}  // namespace overlane::capture

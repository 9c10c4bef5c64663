#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/capture/decode.h"

namespace overlane::capture {

struct Rewritten {
  std::vector<std::uint8_t> bytes;
  std::size_t headers_written = 0;  ///< Headers written by wire; the other headers were copied.
};

/// Writes a decoded packet again: parses each header of `bytes` with wire's parser and writes it
/// with wire's writer. UDP and TCP checksums keep their values. Copied without parsing: headers
/// that wire does not write (link headers of captures, most extension headers, Neighbour Discovery,
/// WireGuard, IPv4 options), headers that its parser rejects, payload, padding, and packets quoted
/// in ICMP errors. The result of a valid packet equals `bytes`, unless its TCP options are in
/// another order than Linux writes.
Rewritten rewrite(const DecodedPacket& packet, std::span<const std::uint8_t> bytes);

}  // namespace overlane::capture

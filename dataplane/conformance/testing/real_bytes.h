#pragma once

#include <string>

#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/forward/packet.h"
#include "sim/random/stream.h"

namespace overlane::conformance::testing {

/// A packet's bytes as kernel::wire_bytes writes them, but with random payload under right
/// checksums (of UDP over IPv4 now and then none), and, unless it is a fragment, now and then with
/// IPv4 options or IPv6 extension headers that ask for nothing, by which it is longer.
Bytes real_bytes(const node::NodeState& state, forward::Packet packet, RandomStream& random);

/// Empty when the checksums of a packet, of what is in its tunnel and of what an ICMP error quotes
/// in full are right, counted bit by bit (RFC 1071); else which is not. A fragment shows that of
/// its IPv4 header alone.
std::string wrong_checksum(const node::NodeState& state, std::span<const std::uint8_t> packet);

}  // namespace overlane::conformance::testing

#pragma once

#include <string>

#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/forward/packet.h"
#include "sim/random/stream.h"

namespace overlane::conformance::testing {

// Bytes of random packets as real senders may write them, and an independent check of their
// checksums.

/// The bytes of a packet as kernel::wire_bytes writes them, but with random payload and right
/// checksums. A quarter of UDP over IPv4 has no checksum. A third of unfragmented packets have IPv4
/// options or IPv6 extension headers that require no action, and are longer by them.
Bytes real_bytes(const node::NodeState& state, forward::Packet packet, RandomStream& random);

/// Names the first wrong checksum of a packet and of the packet in its tunnel, computed bit by bit
/// (RFC 1071), or returns an empty string. Of a fragment, only the IPv4 header is checked.
std::string wrong_checksum(const node::NodeState& state, std::span<const std::uint8_t> packet);

}  // namespace overlane::conformance::testing

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/conformance/testing/tunnels.h"

namespace overlane::conformance::testing {

using Bytes = std::vector<std::uint8_t>;

// Tunnel packets with one wrong header field each, and the outcome that every executor must have
// for them.

/// The offsets of headers in a tunnel packet, in bytes. There are no options except those of
/// ip6tnl.
struct Layout {
  bool outer_ipv4 = true;
  bool inner_ipv4 = true;
  bool has_udp = false;
  std::size_t payload = 0;  ///< Offset of the UDP header; without UDP, that of `inner`.
  std::size_t middle = 0;   ///< Offset of the VXLAN or Geneve header.
  std::size_t frame = 0;    ///< Offset of the inner Ethernet header.
  std::size_t inner = 0;    ///< Offset of the inner IP header.
};
Layout layout_of(const Tunnel& tunnel);

/// Recomputes the checksums of the outer IPv4 and UDP headers, as far as the packet has them.
void sum_again(const Layout& layout, Bytes& packet);

/// The first `size` bytes of a packet, with outer lengths and checksums that match the new size.
Bytes cut_by_sender(const Layout& layout, Bytes packet, std::size_t size);

/// A valid packet with one wrong field, described by `what`, and its outcome as describe() writes
/// it.
struct CorruptPacket {
  std::string what;
  Bytes packet;
  std::string outcome;
};
/// One packet for every header field of the tunnel that can be wrong. `good` is the bytes of
/// tunnel.arriving().
std::vector<CorruptPacket> corrupt_packets(const Tunnel& tunnel, const Bytes& good);

}  // namespace overlane::conformance::testing

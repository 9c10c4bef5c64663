#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/conformance/testing/tunnels.h"

namespace overlane::conformance::testing {

using Bytes = std::vector<std::uint8_t>;

/// Where the headers of a tunnel packet stand, without options but for ip6tnl's.
struct Layout {
  bool outer_ipv4 = true;
  bool inner_ipv4 = true;
  bool has_udp = false;
  std::size_t payload = 0;  ///< Behind the outer IP header: UDP, or the inner packet.
  std::size_t middle = 0;   ///< VXLAN or Geneve.
  std::size_t frame = 0;    ///< Inner Ethernet.
  std::size_t inner = 0;
};
Layout layout_of(const Tunnel& tunnel);

/// Makes the checksums of the outer IPv4 and UDP headers right again, as far as they are there.
void sum_again(const Layout& layout, Bytes& packet);

/// The first `size` bytes, as a sender would have sent them: outer lengths and checksums fit.
Bytes cut_by_sender(const Layout& layout, Bytes packet, std::size_t size);

/// A good packet with one field that is not true, and what becomes of it.
struct CorruptPacket {
  std::string what;
  Bytes packet;
  std::string outcome;
};
/// Every lie that the tunnel's headers can tell; `good` is the bytes of tunnel.arriving().
std::vector<CorruptPacket> corrupt_packets(const Tunnel& tunnel, const Bytes& good);

}  // namespace overlane::conformance::testing

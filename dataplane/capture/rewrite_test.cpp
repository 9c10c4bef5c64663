#include "dataplane/capture/testing/rewrite.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/capture/testing/kept_captures.h"

namespace overlane::capture {
namespace rewrite_test {

/// Number of layers of a packet that wire must write if its parser accepts them.
std::size_t writable(const DecodedPacket& packet) {
  constexpr LayerKind kWritten[] = {LayerKind::Ethernet, LayerKind::Vlan,  LayerKind::Arp,
                                    LayerKind::Ipv4,     LayerKind::Ipv6,  LayerKind::Fragment,
                                    LayerKind::Udp,      LayerKind::Tcp,   LayerKind::Vxlan,
                                    LayerKind::VxlanGpe, LayerKind::Geneve};
  return static_cast<std::size_t>(std::ranges::count_if(packet.layers, [&](const Layer& layer) {
    return layer.number("quoted") == 0 && std::ranges::count(kWritten, layer.kind) > 0;
  }));
}

TEST(Rewrite, EveryKeptPacketComesOutByteByByteAsItWentIn) {
  for (const std::string& capture : kept_captures()) {
    for (const OwnedPacket& packet : packets_of(capture)) {
      const DecodedPacket decoded = packet.decoded();
      const Rewritten made = rewrite(decoded, packet.bytes);
      EXPECT_EQ(made.bytes, packet.bytes) << capture << ": " << layers_of(decoded);
      EXPECT_GE(made.headers_written, writable(decoded)) << capture << ": " << layers_of(decoded);
    }
  }
}

TEST(Rewrite, WritesWhatTheHeadersSayAndNotWhatStoodThere) {
  // The tenth packet: Ethernet, IPv4, IPv4, TCP. Rewriting does not keep a wrong IPv4 checksum, and
  // copies a header that the parser rejects.
  OwnedPacket packet = packets_of("ipip.pcap").at(9);
  packet.bytes[14 + 10] ^= 0xff;
  const DecodedPacket decoded = packet.decoded();
  ASSERT_EQ(layers_of(decoded), "ethernet ipv4 ipv4 tcp payload");
  EXPECT_EQ(rewrite(decoded, packet.bytes).headers_written, 3u);
}

}  // namespace rewrite_test
}  // namespace overlane::capture

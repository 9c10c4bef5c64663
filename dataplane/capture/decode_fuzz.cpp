#include <array>

#include "dataplane/capture/decode.h"
#include "dataplane/capture/packet_text.h"
#include "dataplane/capture/testing/rewrite.h"
#include "dataplane/net/testing/require.h"

namespace overlane::capture {
namespace {

constexpr std::array kLinkTypes = {
    LinkType::Ethernet,    LinkType::RawIp,        LinkType::Ipv4, LinkType::Ipv6,
    LinkType::LinuxCooked, LinkType::LinuxCooked2, LinkType::Null, LinkType::Loop};

/// The first byte chooses the link type, whether the packet is printed (which takes most of the
/// time), and whether the packet is longer than its captured bytes. Checks that layers follow each
/// other and cover the packet, and that a packet without problems can be printed and has the same
/// length when written again.
void check(std::span<const std::uint8_t> input) {
  if (input.empty()) return;
  const LinkType link_type = kLinkTypes[input[0] % kLinkTypes.size()];
  const auto bytes = input.subspan(1);
  const std::size_t cut = input[0] / 16u;
  const DecodedPacket decoded =
      decode({.number = 1, .bytes = bytes, .length_bytes = bytes.size() + cut}, link_type,
             default_tunnel_ports());
  std::size_t end = 0;
  for (const Layer& layer : decoded.layers) {
    testing::require(layer.offset == end);
    end += layer.bytes;
  }
  testing::require(end == bytes.size());
  testing::require(cut == 0 || !decoded.problems.empty());
  testing::require(rewrite(decoded, bytes).bytes.size() == bytes.size());
  if (input[0] % 16 >= kLinkTypes.size()) {
    testing::require(!print(decoded, {}).empty() && !to_json(decoded).empty());
  }
}

}  // namespace
}  // namespace overlane::capture

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::capture::check({data, size});
  return 0;
}

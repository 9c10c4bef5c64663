#include <array>

#include "dataplane/byte_rewrite/testing/node_under_test.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/testing/fuzz_input.h"
#include "dataplane/net/testing/require.h"

namespace overlane::byte_rewrite {
namespace {

using overlane::testing::FuzzInput;
using overlane::testing::require;
using testing::Bytes;

/// Returns a packet: its length in two bytes, then its bytes.
Bytes packet_of(FuzzInput& input) {
  const std::size_t high = input.byte();
  return input.bytes(high * 256 + input.byte());
}

/// Corrects the checksum of the IPv4 header at the front, which mutations break.
void sum_again(std::span<std::uint8_t> packet) {
  if (packet.size() < 20 || packet[0] >> 4 != 4) return;
  const std::size_t bytes = (packet[0] & 0xf) * std::size_t{4};
  if (bytes < 20 || bytes > packet.size()) return;
  store_be16(packet.data() + 10, 0);
  store_be16(packet.data() + 10, internet_checksum(packet.first(bytes)));
  constexpr std::uint8_t kIpip = 4;
  if (packet[9] == kIpip) sum_again(packet.subspan(bytes));
}

testing::NodeUnderTest node_number(std::uint8_t number) {
  constexpr std::array kKinds{Encapsulation::None,     Encapsulation::Ipip,  Encapsulation::Sit,
                              Encapsulation::Ip6Tnl,   Encapsulation::Vxlan, Encapsulation::Geneve,
                              Encapsulation::Wireguard};
  node::testing::ClusterShape shape{.encapsulation = kKinds[number % kKinds.size()]};
  if (!runs_over(shape.encapsulation, shape.underlay)) shape.underlay = Family::Ipv6;
  if ((number & 0x80) != 0) shape.link_mtu = 1280;
  testing::NodeUnderTest node(shape);
  if ((number & 0x40) != 0) node.masquerade();
  return node;
}

/// Runs packets from the input. The first byte selects the node. One byte before each packet
/// selects its ingress, whether 31 seconds pass first, and whether its checksum is corrected.
void check(FuzzInput input) {
  testing::NodeUnderTest node = node_number(input.byte());
  Picos now;
  while (!input.empty()) {
    constexpr std::array kIngress{forward::Ingress::Pod, forward::Ingress::Uplink,
                                  forward::Ingress::Host, forward::Ingress::Uplink};
    const std::uint8_t how = input.byte();
    if ((how & 4) != 0) now += seconds(31);
    Bytes packet = packet_of(input);
    if ((how & 8) == 0) sum_again(packet);
    const Fate fate = node.arrive(packet, kIngress[how & 3], now);
    require(!fate.drop || !fate.held);
    require(node.path.held() == node.runtime.reassembly.fragments());
    for (const Bytes& sent : node.out) {
      const auto read = forward::read_packet(node.state, sent);
      require(read && read->outermost().total_length == sent.size());
    }
  }
  node.time_out(now + seconds(60));
  require(node.path.held() == 0);
}

}  // namespace
}  // namespace overlane::byte_rewrite

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::byte_rewrite::check(overlane::testing::FuzzInput({data, size}));
  return 0;
}

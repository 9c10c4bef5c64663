#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/corrupt_headers.h"
#include "dataplane/conformance/testing/rebuilt.h"
#include "dataplane/forward/read_packet.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/reference/reference.h"

namespace overlane::conformance {
namespace malformed_test {

using forward::Ingress;
using testing::Bytes;
using testing::Tunnel;

forward::Outcome of_core(const node::NodeState& state, const Bytes& bytes) {
  const auto packet = forward::read_packet(state, bytes);
  if (!packet) return {.drop = packet.error()};
  node::NodeRuntime runtime;
  forward::Outcome outcome;
  forward::forward(state, runtime, *packet, Ingress::Uplink, {}, outcome);
  return outcome;
}

reference::ByteOutcome of_byte_path(const node::NodeState& state, const Bytes& bytes) {
  node::NodeRuntime runtime;
  reference::HeldFragments fragments;
  return reference::forward(state, runtime, fragments, bytes, Ingress::Uplink, {});
}

/// The full path drops what the core drops, and sends the bytes that the byte path sends.
void expect_rebuilt(const node::NodeState& state, const Bytes& bytes, const forward::Outcome& core,
                    const reference::ByteOutcome& byte_path) {
  node::NodeRuntime runtime;
  byte_rewrite::FullPath path;
  testing::Rebuilt rebuilt;
  const byte_rewrite::Fate fate =
      path.run(forward::StateLookup(state), runtime, bytes, Ingress::Uplink, {}, rebuilt);
  EXPECT_EQ(fate.drop, core.drop) << testing::hex(bytes);
  EXPECT_EQ(fate.held, core.held.has_value()) << testing::hex(bytes);
  rebuilt.outcome.drop = byte_path.drop;
  rebuilt.outcome.held = byte_path.held;
  EXPECT_EQ(testing::text(rebuilt.outcome), testing::text(byte_path)) << testing::hex(bytes);
}

/// In how many ways a packet ended: lost for one reason, held, passed on. It must be one.
int ends(const forward::Outcome& outcome) {
  const bool passed =
      std::ranges::any_of(outcome.emissions, [](const auto& e) { return !e.is_reply; });
  return (outcome.drop ? 1 : 0) + (outcome.held ? 1 : 0) + (passed ? 1 : 0);
}

/// What became of it. A change often makes two things wrong at once, and whoever looks first names
/// the drop.
std::string fate(forward::Outcome outcome) {
  if (outcome.drop) outcome.drop = Drop::Malformed;
  // The inside of a tunnel packet in transit is not read.
  for (forward::Emission& emission : outcome.emissions) {
    // The core does not know the extension headers that a pointer counts.
    if (emission.packet.icmp) emission.packet.icmp->pointer = 0;
    if (emission.packet.is_encapsulated()) emission.packet = {.inner = emission.packet.outer};
  }
  return testing::describe(outcome);
}

/// Sends bytes to all; they must agree on the one end. Whether the packet was lost.
bool is_lost(const node::NodeState& state, const Bytes& bytes) {
  const forward::Outcome core = of_core(state, bytes);
  const reference::ByteOutcome in_bytes = of_byte_path(state, bytes);
  expect_rebuilt(state, bytes, core, in_bytes);
  const forward::Outcome byte_path = decode(state, in_bytes);
  EXPECT_EQ(ends(core), 1) << testing::describe(core) << "\n" << testing::hex(bytes);
  EXPECT_EQ(ends(byte_path), 1) << testing::describe(byte_path) << "\n" << testing::hex(bytes);
  EXPECT_EQ(fate(core), fate(byte_path)) << testing::hex(bytes);
  return core.drop.has_value();
}

Bytes good_bytes(const Tunnel& tunnel, const node::NodeState& state) {
  return kernel::wire_bytes(state, tunnel.arriving());
}

TEST(Malformed, ATunnelPacketCutBehindAnyByteIsLostOnce) {
  for (const Tunnel& tunnel : testing::tunnels()) {
    SCOPED_TRACE(tunnel.name);
    const node::NodeState state = make_cluster(tunnel.shape).nodes[0];
    const Bytes good = good_bytes(tunnel, state);
    const testing::Layout layout = layout_of(tunnel);
    const std::size_t outer = layout.outer_ipv4 ? 20 : 40;
    EXPECT_FALSE(is_lost(state, good));
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_TRUE(is_lost(state, {good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}))
          << size;
      if (size < outer) continue;
      EXPECT_TRUE(is_lost(state, cut_by_sender(layout, good, size))) << size;
    }
  }
}

TEST(Malformed, ATunnelPacketWithAnyByteOfItsHeadersChangedEndsOnce) {
  for (const Tunnel& tunnel : testing::tunnels()) {
    SCOPED_TRACE(tunnel.name);
    const node::NodeState state = make_cluster(tunnel.shape).nodes[0];
    const Bytes good = good_bytes(tunnel, state);
    const testing::Layout layout = layout_of(tunnel);
    const std::size_t end = layout.inner + (layout.inner_ipv4 ? 20 : 40);
    int lost = 0;
    for (std::size_t at = 0; at < end; ++at) {
      // The byte path does not read what ip6tnl's destination options ask for.
      if (tunnel.shape.encapsulation == Encapsulation::Ip6Tnl && at >= 40 && at < 48) continue;
      for (const int value : {0x00, 0xff, good[at] ^ 1, good[at] ^ 0x80, good[at] + 1}) {
        Bytes packet = good;
        packet[at] = static_cast<std::uint8_t>(value);
        lost += is_lost(state, packet) ? 1 : 0;
        sum_again(layout, packet);
        lost += is_lost(state, packet) ? 1 : 0;
      }
    }
    EXPECT_GT(lost, 100);
  }
}

}  // namespace malformed_test
}  // namespace overlane::conformance

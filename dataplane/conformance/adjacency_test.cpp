#include <gtest/gtest.h>

#include "dataplane/adjacency/burst.h"
#include "dataplane/adjacency/class_lookup.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/kernel/wire_bytes.h"
#include "dataplane/reference/reference.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::conformance {
namespace {

using adjacency::Adjacency;
using adjacency::Frame;
using forward::Ingress;
using reference::Bytes;

constexpr MacAddress kUplinkMac{{0x02, 0, 0, 0, 0, 0x01}};

/// A link address for every next hop.
adjacency::LinkHeader link_to(forward::Egress egress, IpAddress next_hop) {
  adjacency::LinkHeader link{0x02, static_cast<std::uint8_t>(egress)};
  store_be32(link.data() + 2, static_cast<std::uint32_t>(next_hop.low));
  std::ranges::copy(kUplinkMac.bytes, link.begin() + 6);
  return link;
}

/// The longest-prefix match without tables of DPDK's.
struct LinearFinder {
  adjacency::PrefixFinder finder;

  void find(const std::uint32_t* addresses, std::uint32_t* classes, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      classes[i] = finder(Ipv4Address{addresses[i]});
  }
};

/// A frame in a buffer with room in front, and what was in it.
struct Buffered {
  explicit Buffered(const Bytes& packet, std::size_t padding)
      : bytes(adjacency::kHeadroom + wire::kEthernetBytes + packet.size() + padding) {
    std::uint8_t* at = bytes.data() + adjacency::kHeadroom;
    const bool is_ipv6 = packet[0] >> 4 == 6;
    wire::write(
        wire::EthernetHeader{.destination = kUplinkMac,
                             .ether_type = is_ipv6 ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4},
        {at, wire::kEthernetBytes});
    std::ranges::copy(packet, at + wire::kEthernetBytes);
    frame = {at, static_cast<std::uint32_t>(wire::kEthernetBytes + packet.size() + padding)};
    before = bytes;
  }

  Bytes bytes;
  Bytes before;
  Frame frame;
};

struct Counts {
  int taken = 0;
  int single = 0;  ///< Packets that become one.
};

/// Takes one packet by the adjacencies, and compares what comes of it with the byte path.
void judge(const adjacency::Compiled& compiled, const Bytes& packet, Ingress ingress,
           std::size_t padding, Counts& counts) {
  const LinearFinder finder{adjacency::PrefixFinder(compiled.classes)};
  const adjacency::Exceptions exceptions;
  node::IdentificationCounters identification;
  const adjacency::Burst burst(compiled, finder, exceptions, identification);
  Buffered buffered(packet, padding);
  const Adjacency* taken = nullptr;
  if (ingress == Ingress::Pod) burst.from_pods({&buffered.frame, 1}, {&taken, 1});
  if (ingress == Ingress::Uplink) {
    burst.from_uplink({&buffered.frame, 1}, kUplinkMac, {&taken, 1});
  }
  node::NodeRuntime runtime;
  reference::HeldPieces pieces;
  const auto expected =
      reference::forward(*compiled.state, runtime, pieces, packet, ingress, Picos{});
  const bool is_single = expected.sent.size() == 1 && !expected.sent[0].is_reply &&
                         expected.sent[0].egress != forward::Egress::Host;
  counts.single += is_single ? 1 : 0;
  if (taken == nullptr) {
    EXPECT_EQ(buffered.bytes, buffered.before) << "a packet that is left is changed";
    return;
  }
  ++counts.taken;
  ASSERT_TRUE(is_single) << to_string(*compiled.state);
  EXPECT_EQ(taken->egress, expected.sent[0].egress);
  EXPECT_EQ(taken->next_hop.to_string(), expected.sent[0].next_hop.to_string());
  const std::uint8_t* at = buffered.frame.at;
  const Bytes sent(at + wire::kEthernetBytes, at + buffered.frame.bytes);
  EXPECT_EQ(sent, expected.sent[0].bytes) << to_string(*compiled.state);
  EXPECT_EQ(load_be16(at + 12), sent[0] >> 4 == 6 ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4);
  EXPECT_TRUE(std::equal(taken->link.begin(), taken->link.end(), at));
}

TEST(Adjacency, WhatIsTakenIsWhatTheBytePathMakesOfIt) {
  constexpr int kWorlds = 150;
  constexpr int kPackets = 60;
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kWorlds && !HasFailure(); ++seed) {
    reference::testing::RandomWorld world(seed);
    const auto cluster = world.cluster();
    for (const node::NodeState& state : cluster.nodes) {
      const auto compiled =
          adjacency::compile(std::make_shared<const node::NodeState>(state), link_to);
      for (int i = 0; i < kPackets && !HasFailure(); ++i) {
        const auto ingress = world.one_in(2) ? Ingress::Pod : Ingress::Uplink;
        const forward::Packet packet = world.packet(ingress == Ingress::Uplink);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(packet));
        if (packet.outermost().total_length > 20'000) continue;
        judge(compiled, kernel::wire_bytes(state, packet), ingress, world.below(20), counts);
      }
    }
  }
  // The others of the `single` ones are IPv6, fragments, or for the node's own learning.
  RecordProperty("taken", counts.taken);
  RecordProperty("single", counts.single);
  EXPECT_GT(counts.taken, 1000);
}

}  // namespace
}  // namespace overlane::conformance

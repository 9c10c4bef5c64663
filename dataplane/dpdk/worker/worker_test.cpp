#include "dataplane/dpdk/worker/worker.h"

#include <algorithm>
#include <array>
#include <rte_mbuf.h>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/wire/ip.h"
#include "sim/random/stream.h"

namespace overlane::dpdk {
namespace take_test {

using node::testing::pod;
using Numbers = std::vector<std::uint16_t>;

constexpr std::size_t kSourcePort = wire::kEthernetBytes + wire::kIpv4Bytes;

/// A frame of pod 0 with `number` as its UDP source port.
rte_mbuf* packet_of(const PacketPool& pool, IpAddress destination, std::uint16_t number,
                    std::uint8_t ttl, const MacAddress& to) {
  const auto packet =
      forward::PacketBuilder::udp(pod(0), destination).ports(number, 5201).length(60).build();
  const auto frame = wire::framed(wire::ip_packet(packet.flow(), packet.inner.total_length, ttl),
                                  to, BenchTraffic::mac_of(pod(0)));
  rte_mbuf* buffer = rte_pktmbuf_alloc(pool.get());
  std::ranges::copy(frame, reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(
                               buffer, static_cast<std::uint16_t>(frame.size()))));
  return buffer;
}

Numbers numbers_of(RingWire& wire) {
  Numbers numbers;
  for (const auto& frame : wire.take())
    numbers.push_back(load_be16(frame.data() + kSourcePort));
  return numbers;
}

TEST(Take, SendsEachPacketOfABurstWhereItGoesInOrderAndLeavesTheRest) {
  testing::eal();
  const auto state = node::testing::make_cluster({.nodes = 2}).nodes[0];
  const auto made = *generation(std::make_shared<const node::NodeState>(state));
  for (std::size_t i = 0; i < made->compiled.next_hops.size(); ++i)
    made->links->set(i, BenchTraffic::mac_of(made->compiled.next_hops[i].address), MacAddress{});
  const auto pool = PacketPool::make(1023, 2048);
  ASSERT_TRUE(pool) << pool.error();
  auto pods_wire = RingWire::make("take_pods", *pool);
  auto uplink_wire = RingWire::make("take_uplink", *pool);
  ASSERT_TRUE(pods_wire && uplink_wire);
  const auto pods = Port::start(pods_wire->device(), {}, 1500, *pool);
  const auto uplink = Port::start(uplink_wire->device(), {}, 1500, *pool);
  ASSERT_TRUE(pods && uplink);
  SendQueue to_pods(*pods);
  SendQueue to_uplink(*uplink);
  const adjacency::PuntFilter exceptions;
  node::IdentificationCounters identification;
  RandomStream random(1, StreamUse::Pattern, 0);
  for (const std::uint64_t kinds : {1u, 2u, 3u}) {
    for (const std::size_t size : {1u, 31u, 64u}) {
      SCOPED_TRACE(size);
      std::vector<rte_mbuf*> burst;
      std::array<Numbers, 3> expected;
      for (std::uint16_t i = 0; i < size; ++i) {
        // A packet to another node, to a pod of this node, or with TTL 1.
        const auto kind = random.below(kinds);
        burst.push_back(
            packet_of(*pool, kind == 1 ? pod(0, 1) : pod(1), i, kind == 2 ? 1 : 64, pods->mac()));
        expected[kind].push_back(i);
      }
      PuntedPackets punted;
      take(*made, exceptions, identification, forward::Ingress::Pod, pods->mac(), burst, to_pods,
           to_uplink, punted);
      to_pods.flush();
      to_uplink.flush();
      EXPECT_EQ(numbers_of(*uplink_wire), expected[0]);
      EXPECT_EQ(numbers_of(*pods_wire), expected[1]);
      Numbers rest;
      for (rte_mbuf* packet : punted.all())
        rest.push_back(load_be16(rte_pktmbuf_mtod(packet, std::uint8_t*) + kSourcePort));
      EXPECT_EQ(rest, expected[2]);
      rte_pktmbuf_free_bulk(punted.packets.data(), static_cast<unsigned>(punted.count));
    }
  }
  EXPECT_EQ(to_pods.refused() + to_uplink.refused(), 0);
  EXPECT_EQ(pool->in_use(), 0);
}

}  // namespace take_test

namespace handover_test {

TEST(Handover, KeepsTheOrderAndCountsWhatItHasNoRoomFor) {
  testing::eal();
  const auto pool = PacketPool::make(1023, 2048);
  ASSERT_TRUE(pool) << pool.error();
  {
    auto handover = Handover::make(8);
    ASSERT_TRUE(handover) << handover.error();
    std::array<rte_mbuf*, 10> packets;
    for (rte_mbuf*& packet : packets)
      packet = rte_pktmbuf_alloc(pool->get());
    (*handover)->give(std::span(packets).first(5));
    (*handover)->give(std::span(packets).last(5));
    EXPECT_EQ((*handover)->refused(), 3u);
    EXPECT_EQ(pool->in_use(), 7u);
    std::array<rte_mbuf*, 6> taken;
    ASSERT_EQ((*handover)->take(taken), 6u);
    for (std::size_t i = 0; i < taken.size(); ++i)
      EXPECT_EQ(taken[i], packets[i]);
    rte_pktmbuf_free_bulk(taken.data(), taken.size());
  }
  EXPECT_EQ(pool->in_use(), 0u) << "packets left in a handover are freed";
}

}  // namespace handover_test
}  // namespace overlane::dpdk

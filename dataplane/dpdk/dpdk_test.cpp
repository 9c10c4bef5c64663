#include <gtest/gtest.h>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/dpdk/bench/bench.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/tables/lpm_find.h"
#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/node/testing/cluster.h"
#include "sim/random/stream.h"

namespace overlane::dpdk {
namespace dpdk_test {

using node::testing::make_cluster;
using testing::eal;

constexpr std::uint32_t kPeers = 8;

/// Makes a generation with a link-layer address for each next hop.
std::shared_ptr<const Generation> generation_of(const node::NodeState& state) {
  auto made = *generation(std::make_shared<const node::NodeState>(state));
  for (std::size_t i = 0; i < made->compiled.next_hops.size(); ++i)
    made->links->set(i, BenchTraffic::mac_of(made->compiled.next_hops[i].address), MacAddress{});
  return made;
}

class Dpdk : public ::testing::Test {
 protected:
  Dpdk() { eal(); }
};

TEST_F(Dpdk, SaysWhichHugepagesAreMissing) {
  const auto started = Eal::start({.memory_mib = 1u << 30});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().find("MiB of free hugepages are needed"), std::string::npos);
}

TEST_F(Dpdk, DoesNotTakeACoreTwice) {
  const auto started = Eal::start({.cores = {0, 1, 0}, .hugepages = false});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), "a core is named twice");
}

TEST_F(Dpdk, TellsPciAddressesFromVirtualDevices) {
  EXPECT_TRUE(is_pci_address("0000:3b:00.0"));
  EXPECT_TRUE(is_pci_address("3b:00.1,txq_inline_max=0"));
  EXPECT_FALSE(is_pci_address("net_tap0,iface=3b:00.0"));
  EXPECT_EQ(port_name("3B:00.1,txq_inline_max=0"), "0000:3b:00.1");
  EXPECT_EQ(port_name("net_tap0,iface=3b:00.0"), "net_tap0");
}

TEST_F(Dpdk, APortThatIsNotThereIsNamed) {
  const auto pool = PacketPool::make(1023, 2048);
  const auto port = Port::start("net_tap7", {}, 1500, *pool);
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error(), "there is no port \"net_tap7\"");
  const auto interface = Port::start("net_af_packet7,iface=x", {}, 1500, *pool);
  ASSERT_FALSE(interface);
  EXPECT_EQ(interface.error(), "interface x: No such device (19)");
}

TEST_F(Dpdk, AnMtuThatAPortCannotHaveIsRefusedWithItsLimits) {
  const auto pool = PacketPool::make(1023, 2048);
  const auto port = Port::start("net_null8", {}, 60, *pool);
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error(), "port net_null8: an MTU of 60; it takes 68 to 65535");
}

TEST_F(Dpdk, QueuesThatAPortCannotHaveAreRefusedWithThoseThatItHas) {
  const auto pool = PacketPool::make(1023, 2048);
  const auto wire = RingWire::make("few", *pool, {.receive = 1, .send = 2});
  ASSERT_TRUE(wire) << wire.error();
  const auto port = Port::start(wire->device(), {.receive = 2, .send = 3}, 1500, *pool);
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error(),
            "port net_ring_few: 2 receive and 3 send queues are wanted; it has 1 and 2");
}

TEST_F(Dpdk, ATableLargerThanMemoryIsRefused) {
  const auto pool = PacketPool::make(1u << 24, 9000);
  ASSERT_FALSE(pool);
  EXPECT_NE(pool.error().find("no memory for 16777216 packets of 9000 bytes"), std::string::npos);
}

TEST_F(Dpdk, LongestPrefixMatchFindsTheClassOfEveryAddress) {
  const auto state = make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 5}).nodes[0];
  const auto made = generation_of(state);
  const auto& classes = made->compiled.classes;
  const LpmFinder finder(*made);
  const adjacency::PrefixFinder oracle(classes);
  RandomStream random(1, StreamUse::Pattern, 0);
  std::vector<std::uint32_t> addresses;
  for (const adjacency::AddressClass& one : classes) {
    if (const auto prefix = one.prefix.ipv4()) {
      addresses.insert(addresses.end(), {prefix->first().bits, prefix->last().bits});
    }
  }
  while (addresses.size() < 2000)
    addresses.push_back(static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32)));
  for (const std::uint32_t address : addresses)
    EXPECT_EQ(finder(address), oracle(Ipv4Address{address})) << Ipv4Address{address}.to_string();
}

struct Mode {
  Encapsulation encapsulation;
  Family family = Family::Ipv4;
};

class DpdkModes : public ::testing::TestWithParam<Mode> {
 protected:
  DpdkModes() { eal(); }
};

TEST_P(DpdkModes, ForwardsAllThatIsOfferedBothWaysAndHoldsNoBuffer) {
  // A Geneve device without a map sends to one peer.
  const auto [encapsulation, family] = GetParam();
  const auto cluster = make_cluster({.encapsulation = encapsulation,
                                     .nodes = kPeers + 1,
                                     .tunnel_map = encapsulation == Encapsulation::Geneve});
  const auto pool = PacketPool::make(2047, 2048);
  ASSERT_TRUE(pool) << pool.error();
  {
    static int next = 12;
    const auto pods = Port::start("net_null" + std::to_string(next++), {}, 1500, *pool);
    const auto uplink = Port::start("net_null" + std::to_string(next++), {}, 1500, *pool);
    ASSERT_TRUE(pods) << pods.error();
    ASSERT_TRUE(uplink) << uplink.error();
    const auto out = BenchTraffic::make(cluster.nodes, false, 64, kPeers, 64, pods->mac(), family);
    const auto in =
        BenchTraffic::make(cluster.nodes, true, 64, kPeers, 1400, uplink->mac(), family);
    ASSERT_TRUE(out) << out.error();
    ASSERT_TRUE(in) << in.error();
    const std::array paths{BenchPath{forward::Ingress::Pod, &*out, &*pods, &*uplink},
                           BenchPath{forward::Ingress::Uplink, &*in, &*uplink, &*pods}};
    const auto generation = generation_of(cluster.nodes[0]);
    const auto result = measure(*generation, paths, 32, 10'000);
    ASSERT_TRUE(result) << result.error();
    EXPECT_GE(result->offered(), 10'000);
    EXPECT_TRUE(result->is_complete());
    EXPECT_EQ(pods->counters().sent + uplink->counters().sent, result->forwarded());
  }
  EXPECT_EQ(pool->in_use(), 0);
}

TEST_F(Dpdk, SeveralCoresForwardAllThatEachIsOffered) {
  if (testing::cores().size() < 2) GTEST_SKIP() << "the machine has one core";
  const auto cluster = make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = kPeers + 1});
  const auto pool = PacketPool::make(4095, 2048);
  ASSERT_TRUE(pool) << pool.error();
  {
    const auto pods = Port::start("net_null10", {2, 2}, 1500, *pool);
    const auto uplink = Port::start("net_null11", {2, 2}, 1500, *pool);
    ASSERT_TRUE(pods && uplink);
    const auto out = BenchTraffic::make(cluster.nodes, false, 64, kPeers, 64, pods->mac());
    ASSERT_TRUE(out) << out.error();
    const std::array paths{BenchPath{forward::Ingress::Pod, &*out, &*pods, &*uplink}};
    const auto result = measure(*generation_of(cluster.nodes[0]), paths, 32, 20'000,
                                std::span(testing::cores()).subspan(1));
    ASSERT_TRUE(result) << result.error();
    ASSERT_EQ(result->cores.size(), 2u);
    for (const BenchShare& one : result->cores) {
      EXPECT_GE(one.offered, 10'000);
      EXPECT_EQ(one.forwarded, one.offered);
    }
    EXPECT_TRUE(result->is_complete());
    EXPECT_EQ(uplink->counters().sent, result->forwarded());
  }
  EXPECT_EQ(pool->in_use(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, DpdkModes,
                         ::testing::Values(Mode{Encapsulation::None}, Mode{Encapsulation::Ipip},
                                           Mode{Encapsulation::Vxlan}, Mode{Encapsulation::Geneve},
                                           Mode{Encapsulation::None, Family::Ipv6},
                                           Mode{Encapsulation::Sit, Family::Ipv6},
                                           Mode{Encapsulation::Vxlan, Family::Ipv6},
                                           Mode{Encapsulation::Geneve, Family::Ipv6}),
                         [](const auto& mode) {
                           return std::string(to_string(mode.param.encapsulation)) +
                                  (mode.param.family == Family::Ipv4 ? "" : "_ipv6");
                         });

}  // namespace dpdk_test
}  // namespace overlane::dpdk

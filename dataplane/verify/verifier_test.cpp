#include "dataplane/verify/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/dpdk/io/eal.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/wire/ip.h"

namespace overlane::verify {
namespace verifier_test {

using ::testing::HasSubstr;

/// Node 0 of a VXLAN cluster, and a datagram from a pod of it to one of node 1.
class VerifierOfVxlan : public ::testing::Test {
 protected:
  VerifierOfVxlan() {
    static const auto eal = dpdk::Eal::start({.hugepages = false, .memory_mib = 256});
    EXPECT_TRUE(eal) << eal.error();
    const auto cluster =
        node::testing::make_cluster({.encapsulation = Encapsulation::Vxlan, .nodes = 2});
    auto generation = dpdk::generation(std::make_shared<const node::NodeState>(cluster.nodes[0]));
    EXPECT_TRUE(generation) << generation.error();
    auto made = Verifier::make(2000);
    EXPECT_TRUE(made) << made.error();
    verifier.emplace(std::move(*made));
    EXPECT_EQ(verifier->change(std::move(*generation), Picos{}).difference, "");
    peer = *cluster.nodes[1].address(Family::Ipv4);
    packet = wire::ip_packet({.source = cluster.nodes[0].pods[0].address,
                              .destination = cluster.nodes[1].pods[0].address,
                              .protocol = wire::kUdp},
                             28);
  }

  Comparison arrive() { return verifier->arrive(packet, forward::Ingress::Pod, seconds(1)); }

  std::optional<Verifier> verifier;
  IpAddress peer;
  std::vector<std::uint8_t> packet;
};

TEST_F(VerifierOfVxlan, AgreesWhenBothDoTheSame) {
  const Comparison comparison = arrive();
  EXPECT_EQ(comparison.difference, "");
  EXPECT_TRUE(comparison.ahead);
  ASSERT_EQ(comparison.sent.size(), 1);
  EXPECT_EQ(to_string(comparison.sent[0]), "to the uplink via " + peer.to_string());
  EXPECT_EQ(comparison.sent[0].packet, comparison.expected.sent[0].bytes);
}

TEST_F(VerifierOfVxlan, NamesTheByteThatDiffers) {
  verifier->reference_runtime().identification.next(peer);
  EXPECT_THAT(arrive().difference,
              HasSubstr("packet 1 that was sent: byte 5 is 0x00 instead of 0x01"));
}

TEST_F(VerifierOfVxlan, TellsWhatOnlyOneOfThemHasLearnt) {
  verifier->reference_runtime().path_mtus.learn(peer, 1000, Picos{});
  EXPECT_EQ(arrive().difference, "before it: other path MTUs are known");
}

}  // namespace verifier_test
}  // namespace overlane::verify

#include <gtest/gtest.h>

#include "dataplane/wire/ethernet.h"
#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace live_pmtu_root_test {

constexpr std::size_t kUdp = 28;

using PathMtu = Live;

TEST_F(PathMtu, PodWithALargerMtuLearnsTheTunnelsMtu) {
  ASSERT_NO_FATAL_FAILURE(begin({"vxlan", 1500, 1500}));
  expect_learns(near->near_pod, kFarPod, 1500, 1450);
  const auto report = finish();
  EXPECT_EQ(report["packets"]["icmp_errors_sent"], 1);
  EXPECT_EQ(report["drops"], (nlohmann::json{{"mtu-exceeded", 1}}));
}

TEST_F(PathMtu, TcpOfPodsWithALargerMtuFindsTheTunnelsMtu) {
  ASSERT_NO_FATAL_FAILURE(begin({"vxlan", 1500, 1500}));
  const std::vector<std::size_t> sizes = {100, 1460, 3'000'000};
  EXPECT_EQ(exchange_streams(near->near_pod, kFarPod, sizes), "");
  const auto report = finish();
  EXPECT_GE(report["packets"]["icmp_errors_sent"], 1);
  EXPECT_EQ(report["drops"].size(), 1) << "only what was too large";
  EXPECT_EQ(report["drops"]["mtu-exceeded"], report["packets"]["icmp_errors_sent"]);
}

TEST_F(PathMtu, PacketsWithoutDfAreFragmentedForTheTunnel) {
  ASSERT_NO_FATAL_FAILURE(begin({"vxlan", 1500, 1500}));
  auto datagrams = Datagrams::open(near->near_pod, kFarPod, Df::Clear);
  ASSERT_TRUE(datagrams) << datagrams.error();
  for (const std::size_t size : {1450 - kUdp, 1450 - kUdp + 1, 1500 - kUdp, 1500 - kUdp + 1})
    EXPECT_EQ(datagrams->exchange(size), "");
  const auto report = finish();
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  EXPECT_EQ(report["packets"]["icmp_errors_sent"], 0);
}

TEST_F(PathMtu, ErrorOfTheFarSideReachesThePod) {
  ASSERT_NO_FATAL_FAILURE(begin({"routed", 1500, 1500}));
  const auto smaller = ip(far->far_node, {"link set cali1 mtu 1300"});
  ASSERT_TRUE(smaller) << smaller.error();
  ASSERT_TRUE(ip(far->far_pod, {"link set eth0 mtu 1300"}));
  expect_learns(near->near_pod, kFarPod, 1500, 1300);
  EXPECT_EQ(exchange_streams(near->near_pod, kFarPod, std::vector<std::size_t>{2000, 500'000}), "");
  EXPECT_EQ(finish()["drops"], nlohmann::json::object());
}

/// The outer packet has no DF (vxlan_xmit_one), so the pod needs no error.
TEST_F(PathMtu, AfterAnErrorAboutAVxlanPacketOuterPacketsAreFragmented) {
  ASSERT_NO_FATAL_FAILURE(begin({"vxlan", 1450, 1450}));
  auto datagrams = Datagrams::open(near->near_pod, kFarPod, Df::Set);
  ASSERT_TRUE(datagrams) << datagrams.error();
  ASSERT_EQ(datagrams->exchange(1450 - kUdp), "");
  const auto frame = recorder->last_out(kUplinkWire);
  ASSERT_EQ(frame.size(), wire::kEthernetBytes + 1500);
  ASSERT_NO_FATAL_FAILURE(tell_fast_path(too_large(frame, 1400)));
  EXPECT_EQ(datagrams->exchange(1450 - kUdp), "");
  // 1,400 bytes hold a header of 20 and 1,376 of payload (a multiple of 8); 104 of 1,480 remain.
  EXPECT_EQ(recorder->last_out(kUplinkWire).size(), wire::kEthernetBytes + 20 + 104);
  EXPECT_EQ(datagrams->mtu(), 1450);
  EXPECT_EQ(finish()["drops"], nlohmann::json::object());
}

}  // namespace live_pmtu_root_test
}  // namespace overlane::fastpath

#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"
#include "tools/fastpath/forward.h"
#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"
#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {
namespace live_root_test {

using ::testing::Values;

class Interoperation : public Live, public ::testing::WithParamInterface<Layout> {};

TEST_P(Interoperation, PodsOfKernelAndFastPathExchangeAllSizes) {
  ASSERT_NO_FATAL_FAILURE(begin(GetParam()));
  EXPECT_EQ(exchange_all_sizes(near->near_pod, kFarPod, GetParam().pod_mtu), "");
  EXPECT_EQ(exchange_all_sizes(far->far_pod, kNearPod, GetParam().pod_mtu), "");
  EXPECT_EQ(is_vxlan(recorder->last_out(kUplinkWire)), GetParam().variant == "vxlan");
  const auto report = finish();
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  EXPECT_EQ(report["packets"]["refused_frames"], 0);
  EXPECT_EQ(report["packets"]["icmp_errors_sent"], 0);
  EXPECT_EQ(report["packets"]["to_host"], 0);
  EXPECT_EQ(report["packets"]["held_fragments"], 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, Interoperation,
                         Values(Layout{"vxlan", 1450, 1450}, Layout{"routed", 1500, 1500}),
                         [](const auto& test) { return test.param.variant; });

}  // namespace live_root_test
namespace live_ipip_root_test {

constexpr std::size_t kUdp = 28;
constexpr std::size_t kMtu = 1480;

/// The program in the far pod, inside user-mode Linux.
TEST(FarPod, DISABLED_Echoes) {
  const char* folder = std::getenv("OVERLANE_FAR_POD");
  ASSERT_NE(folder, nullptr) << "this is for the pod inside user-mode Linux";
  EXPECT_EQ(UmlFarSide::serve(folder), "");
}

class Ipip : public Live {
 protected:
  void SetUp() override {
    Live::SetUp();
    if (IsSkipped()) return;
    if (const std::string why = UmlFarSide::why_not(); !why.empty()) GTEST_SKIP() << why;
    const Layout layout{"ipip", kMtu, kMtu};
    ASSERT_NO_FATAL_FAILURE(begin_near(layout));
    auto started = UmlFarSide::start(layout, *near, folder.path());
    ASSERT_TRUE(started) << started.error();
    uml = std::move(*started);
    ASSERT_NO_FATAL_FAILURE(start_fast_path(input_of(layout)));
  }

  void TearDown() override { uml.reset(); }

  std::unique_ptr<UmlFarSide> uml;
};

TEST_F(Ipip, PodsOfUserModeLinuxAndFastPathExchangeAllSizes) {
  EXPECT_EQ(exchange_all_sizes(near->near_pod, kFarPod, kMtu), "");
  EXPECT_EQ(uml->exchange_all_sizes_with(kNearPod, kMtu), "");
  EXPECT_EQ(recorder->last_out(kUplinkWire)[wire::kEthernetBytes + 9], wire::kIpv4InIp);
  const auto report = finish();
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  EXPECT_EQ(report["packets"]["refused_frames"], 0);
}

TEST_F(Ipip, AfterAnErrorAboutATunnelPacketPodsLearnASmallerMtu) {
  auto datagrams = Datagrams::open(near->near_pod, kFarPod, Df::Set);
  ASSERT_TRUE(datagrams) << datagrams.error();
  ASSERT_EQ(datagrams->exchange(kMtu - kUdp), "");
  const auto frame = recorder->last_out(kUplinkWire);
  ASSERT_EQ(frame.size(), wire::kEthernetBytes + 1500);
  ASSERT_NO_FATAL_FAILURE(tell_fast_path(too_large(frame, 1400)));
  expect_learns(near->near_pod, kFarPod, kMtu, 1380);
  EXPECT_EQ(exchange_streams(near->near_pod, kFarPod, std::vector<std::size_t>{1440, 300'000}), "");
  const auto report = finish();
  EXPECT_GE(report["packets"]["icmp_errors_sent"], 1);
  EXPECT_EQ(report["drops"],
            (nlohmann::json{{"mtu-exceeded", report["packets"]["icmp_errors_sent"]}}));
}

}  // namespace live_ipip_root_test
namespace live_ipv6_root_test {

/// Forwards like `forward`, with an IPv6 state, which no manifest produces yet. Runs in a separate
/// process.
TEST(Ipv6Node, DISABLED_Forwards) {
  const char* name = std::getenv("OVERLANE_IPV6_NODE");
  ASSERT_NE(name, nullptr) << "this is for the test below";
  const auto encapsulation = std::string(name) == to_string(Encapsulation::Vxlan)
                                 ? Encapsulation::Vxlan
                                 : Encapsulation::None;
  ForwardOptions options{.pods = "net_tap0,iface=tpods", .uplink = "net_tap1,iface=tup"};
  options.output.format = command::Format::JsonLines;
  options.idle = microseconds(50);
  options.eal = {.hugepages = false, .memory_mib = 256, .devices = {options.pods, options.uplink}};
  const auto signals = Signals::take();
  ASSERT_TRUE(signals) << signals.error();
  const auto code = run_forwarding(
      options, std::make_shared<const node::NodeState>(near_state(encapsulation)), *signals);
  // The test reads only the reports from its output.
  std::cout.flush();
  std::_Exit(static_cast<int>(code));
}

class Ipv6 : public Live {
 protected:
  void begin(Encapsulation encapsulation, std::uint32_t near_mtu, std::uint32_t far_mtu) {
    const Layout layout{"routed", near_mtu, far_mtu};
    ASSERT_NO_FATAL_FAILURE(begin_near(layout));
    ASSERT_NO_FATAL_FAILURE(begin_far(layout));
    const auto added = add_ipv6(*near, *far, encapsulation);
    ASSERT_TRUE(added) << added.error();
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const auto command = fmt::format(
        "env OVERLANE_IPV6_NODE={} '{}' --gtest_also_run_disabled_tests --gtest_filter=Ipv6Node.*",
        to_string(encapsulation), self);
    start_fast_path([&] { return Program::start_command(near->middle, command, folder.path()); });
  }

  /// Returns the last report without multicast listener reports (RFC 3810), which are link-local.
  nlohmann::json finish_without_groups() {
    auto report = finish();
    EXPECT_EQ(report["drops"].value("not-local", 0), report["packets"]["refused_frames"]);
    report["drops"].erase("not-local");
    EXPECT_GT(report["packets"]["neighbour_messages"], 0);
    return report;
  }
};

TEST_F(Ipv6, RoutedPodsOfKernelAndFastPathExchangeAllSizes) {
  ASSERT_NO_FATAL_FAILURE(begin(Encapsulation::None, 1500, 1500));
  EXPECT_EQ(exchange_all_sizes(near->near_pod, kFarPod6, 1500), "");
  EXPECT_EQ(exchange_all_sizes(far->far_pod, kNearPod6, 1500), "");
  EXPECT_EQ(finish_without_groups()["drops"], nlohmann::json::object());
}

TEST_F(Ipv6, PodsInsideVxlanOverIpv6ExchangeAllSizes) {
  ASSERT_NO_FATAL_FAILURE(begin(Encapsulation::Vxlan, 1430, 1430));
  EXPECT_EQ(exchange_all_sizes(near->near_pod, kFarPod6, 1430), "");
  EXPECT_EQ(exchange_all_sizes(far->far_pod, kNearPod6, 1430), "");
  EXPECT_EQ(finish_without_groups()["drops"], nlohmann::json::object());
}

TEST_F(Ipv6, PodWithALargerMtuGetsPacketTooBig) {
  ASSERT_NO_FATAL_FAILURE(begin(Encapsulation::Vxlan, 1500, 1430));
  expect_learns(near->near_pod, kFarPod6, 1500, 1430);
  EXPECT_EQ(exchange_streams(near->near_pod, kFarPod6, std::vector<std::size_t>{300'000}), "");
  const auto report = finish_without_groups();
  EXPECT_GE(report["packets"]["icmp_errors_sent"], 1);
  EXPECT_EQ(report["drops"],
            (nlohmann::json{{"mtu-exceeded", report["packets"]["icmp_errors_sent"]}}));
}

TEST_F(Ipv6, PacketTooBigOfTheFarSideReachesThePod) {
  ASSERT_NO_FATAL_FAILURE(begin(Encapsulation::None, 1500, 1500));
  ASSERT_TRUE(ip(far->far_node, {"link set cali1 mtu 1300"}));
  ASSERT_TRUE(ip(far->far_pod, {"link set eth0 mtu 1300"}));
  expect_learns(near->near_pod, kFarPod6, 1500, 1300);
  EXPECT_EQ(exchange_streams(near->near_pod, kFarPod6, std::vector<std::size_t>{300'000}), "");
  EXPECT_EQ(finish_without_groups()["drops"], nlohmann::json::object());
}

}  // namespace live_ipv6_root_test
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
namespace live_host_root_test {

using Host = Live;

TEST_F(Host, KernelBehindTheHostPortIsTheNode) {
  const Layout layout{"vxlan", 1450, 1450};
  ASSERT_NO_FATAL_FAILURE(begin_near(layout));
  ASSERT_NO_FATAL_FAILURE(begin_far(layout));
  ASSERT_NO_FATAL_FAILURE(start_fast_path(input_of(layout) + " --host net_tap2,iface=thost"));
  ASSERT_TRUE(kernel::make_ready(near->middle, "thost"));
  const auto made = ip(near->middle, {fmt::format("address add {}/32 dev thost", kNearNode),
                                      "route add 169.254.1.1 dev thost scope link",
                                      "route add default via 169.254.1.1 dev thost mtu 1450"});
  ASSERT_TRUE(made) << made.error();
  const auto echo = Echo::start(near->middle);
  ASSERT_TRUE(echo) << echo.error();
  EXPECT_EQ(exchange_all_sizes(near->near_pod, kNearNode, 1450), "");
  EXPECT_EQ(exchange_all_sizes(far->far_node, kNearNode, 1450), "");
  EXPECT_EQ(exchange_all_sizes(near->middle, kNearPod, 1450), "");
  EXPECT_EQ(exchange_all_sizes(near->middle, kFarPod, 1450), "");
  const auto report = finish();
  EXPECT_EQ(report["drops"], nlohmann::json::object());
  EXPECT_GT(report["packets"]["to_host"], 0);
}

}  // namespace live_host_root_test
}  // namespace overlane::fastpath

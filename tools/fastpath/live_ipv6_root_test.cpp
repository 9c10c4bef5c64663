#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tools/fastpath/forward.h"
#include "tools/fastpath/testing/live.h"
#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {
namespace live_ipv6_root_test {

/// Forwards like `forward`, with an IPv6 state, which no manifest produces yet. Runs in a process
/// of its own.
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

  /// The last report, without reports of group membership (RFC 3810), which are link-local.
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
}  // namespace overlane::fastpath

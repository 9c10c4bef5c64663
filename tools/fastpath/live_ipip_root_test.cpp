#include <cstdlib>

#include <gtest/gtest.h>

#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"
#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"
#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {
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
}  // namespace overlane::fastpath

#include <gtest/gtest.h>

#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace {

using ::testing::Values;

/// Who speaks to whom.
struct Way {
  const char* name;
  const kernel::NetworkNamespace& from;
  const char* to;
};

class Interoperation : public Live, public ::testing::WithParamInterface<Layout> {
 protected:
  void expect_datagrams(const Way& way, Df df, const std::vector<std::size_t>& sizes) {
    auto datagrams = Datagrams::open(way.from, way.to, df);
    ASSERT_TRUE(datagrams) << datagrams.error();
    for (const std::size_t size : sizes) {
      EXPECT_EQ(datagrams->exchange(size), "")
          << "UDP " << way.name << ", DF " << (df == Df::Set ? "set" : "clear");
    }
  }

  void expect_all_sizes(const Way& way) {
    const std::size_t mtu = GetParam().pod_mtu;
    constexpr std::size_t kUdp = 28;
    constexpr std::size_t kTcp = 40;
    for (const Df df : {Df::Set, Df::Clear}) {
      expect_datagrams(way, df, fitting(mtu, kUdp));
      EXPECT_EQ(exchange_pings(way.from, way.to, df, fitting(mtu, kUdp)), "") << way.name;
    }
    expect_datagrams(way, Df::Clear, beyond(mtu, kUdp));
    EXPECT_EQ(exchange_pings(way.from, way.to, Df::Clear, beyond(mtu, kUdp)), "") << way.name;
    EXPECT_EQ(exchange_streams(way.from, way.to, fitting(mtu, kTcp)), "") << way.name;
    EXPECT_EQ(exchange_streams(way.from, way.to, beyond(mtu, kTcp)), "") << way.name;
    EXPECT_EQ(exchange_streams(way.from, way.to, std::vector<std::size_t>{3'000'000}), "");
  }
};

TEST_P(Interoperation, PodsOfAKernelAndOfTheFastPathExchangeAllSizes) {
  ASSERT_NO_FATAL_FAILURE(begin(GetParam()));
  expect_all_sizes({"to the far pod", near->near_pod, kFarPod});
  expect_all_sizes({"to the near pod", far->far_pod, kNearPod});
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

}  // namespace
}  // namespace overlane::fastpath

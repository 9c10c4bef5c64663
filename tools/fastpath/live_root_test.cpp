#include <gtest/gtest.h>

#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"

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
}  // namespace overlane::fastpath
